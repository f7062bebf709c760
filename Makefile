# make run   the main job        make test   every default check        make help   the rest
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
endif
READY := $(VENV)/.ready
export RDEX_REFERENCE_DIR ?= $(abspath ../shared/reference)
# Bytecode is kept: processes that tests start would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup run test lint test-all bench start bench-campaign fidelity success budgets networks textbook crashes parallel constants simulator peers reproduce ablation tuning champion coco adapters fresh docs gallery wheel clean

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | sed 's/:.*## /\t/' | expand -t 18

# Everything is installed again when the declared or pinned dependencies change, else never.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "rdex needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable ".[bench,cluster,peers,openmdao,optuna,ioh,docs,dev]"
	@touch $@

setup: $(READY) ## create .venv with everything installed

TOUR := out/tour

run: $(READY) ## design a welded beam, run a small benchmark campaign, write its report
	@$(BIN)/python examples/tour.py
	@rm -rf $(TOUR)
	@echo; echo "A small campaign: rdex bench run"
	@$(BIN)/rdex bench run --algorithms rdex-csop,cl-srde --suite cec2017 --dim 10 --instance 1 \
	  --problems 1,4,8,13,20 --runs 5 --maxfev 5000D --out $(TOUR)/campaign
	@$(BIN)/rdex bench report $(TOUR)/campaign --out $(TOUR)/report

lint: $(READY) ## ruff, mypy, import directions
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

# Processes that tests run in, each a file at a time, in the order of tests/conftest.py; kernels are
# compiled once, before they start.
JOBS ?= 2
PYTEST := $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder

test: $(READY) ## all default checks
	@$(BIN)/rdex warmup >/dev/null & $(MAKE) --no-print-directory lint && wait $$!
	@$(PYTEST) --doctest-modules src/rdex
	@$(PYTEST)

test-all: test ## also slow and statistical tests, JIT off with coverage, bounds checks
	$(PYTEST) -m slow
	RDEX_FUZZ=1 $(PYTEST) tests/fuzz
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not slow and not compiled" \
	  --cov=rdex --cov-report=term:skip-covered
	NUMBA_BOUNDSCHECK=1 RDEX_CACHE_DIR=$(CURDIR)/out/boundscheck $(PYTEST)

bench: export RDEX_COMPILE = wait
bench: $(READY) ## speed of engine, suite, minimize, scoring (about 15 minutes on a quiet machine)
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/minimize.py
	$(BIN)/python benchmarks/suite.py
	$(BIN)/python benchmarks/scoring.py

start: $(READY) ## how soon things start: imports, commands, first evaluations
	$(BIN)/python benchmarks/start.py --with-campaign --csv docs/data/start.csv

bench-campaign: $(READY) ## what scheduling, recording and storing cost
	$(BIN)/python benchmarks/campaign.py

fidelity: $(READY) ## our runs against the released programs' (about 10 minutes; needs reference data)
	$(BIN)/python benchmarks/fidelity.py --csv docs/data/fidelity-rdex-csop.csv
	$(BIN)/python benchmarks/fidelity.py --algorithm cl-srde --csv docs/data/fidelity-cl-srde.csv

success: $(READY) ## success rates at small budgets on the engineering and G suites
	$(BIN)/python benchmarks/success.py --csv docs/data

simulator: $(READY) ## workers kept busy, and what asynchronous updating costs (6 minutes of real runs, then virtual ones)
	$(BIN)/python benchmarks/simulator.py --csv docs/data/simulator-busy.csv \
	  --quality docs/data/simulator-quality.csv

budgets: $(READY) ## every algorithm on every suite at 50 to 200 000 evaluations (hours; resumable)
	$(BIN)/python benchmarks/budgets.py

networks: $(READY) ## random networks and designs: equalities, units, integers, crashes, many valleys (about 20 minutes)
	$(BIN)/python benchmarks/networks.py --algorithms auto rdex-csop+local rdex-csop --budgets 300 1000 --keep
	$(BIN)/python benchmarks/networks.py --set designs --budgets 300 1000 --seeds 3 --keep \
	  --algorithms auto rdex-csop+local rdex-csop multistart-slsqp

textbook: $(READY) ## 51 textbook problems that no constant was fitted to (15 minutes; resumable; FRESH=auto runs auto again)
	$(BIN)/python benchmarks/textbook.py $(if $(FRESH),--fresh $(FRESH))

crashes: $(READY) ## designs whose simulator fails in a tenth of the box (minutes)
	$(BIN)/python benchmarks/crashes.py --csv docs/data/crashes.csv

parallel: $(READY) ## time to the target with 1, 4 and 16 workers on a virtual clock (minutes)
	$(BIN)/python benchmarks/parallel.py --csv docs/data/parallel.csv

constants: $(READY) ## whether auto depends on its constants: each halved and doubled (half an hour)
	$(BIN)/python benchmarks/constants.py --csv docs/data/constants.csv

docs: $(READY) ## build the documentation site into site/, its notebooks, and figures whose script changed
	@$(BIN)/python scripts/notebooks.py
	@$(BIN)/python scripts/gallery.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "site/index.html"

gallery: $(READY) ## draw all figures of docs/gallery.md again
	$(BIN)/python scripts/gallery.py --all

# Failed runs (exit code 3) are shown in the report.
peers: $(READY) ## presets beside other packages' optimisers, C01 to C28 (about 2 hours; resumable)
	$(BIN)/rdex bench run benchmarks/plans/peers.toml --out out/peers --extend || test $$? -eq 3
	$(BIN)/rdex bench report out/peers --out out/peers-report
	$(BIN)/python benchmarks/peers.py out/peers

INSTANCE ?= official
reproduce: $(READY) ## the paper again, run to report (about 50 minutes; resumable; INSTANCE=1 needs no data)
	$(BIN)/python benchmarks/reproduce.py --instance $(INSTANCE) --out out/reproduce-$(INSTANCE)

ablation: $(READY) ## what each part of RDEx-CSOP is worth, generated instances 1 to 3 (resumable)
	$(BIN)/python benchmarks/ablation.py --out out/ablation --keep docs/data

tuning: $(READY) ## the study behind rdex-tide, generated instances alone (hours; resumable)
	for stage in d10 d30 d30-2000 d30-5000; do \
	  $(BIN)/python benchmarks/tuning.py --stage $$stage --keep docs/data/tide || exit 1; done

champion: $(READY) ## rdex-tide against the field on what it was not tuned on (some three hours; resumable)
	$(BIN)/python benchmarks/champion.py --keep docs/data/tide
	$(BIN)/python benchmarks/coco.py --keep docs/data/tide

COCO ?= --csv docs/data/coco.csv
coco: $(READY) ## a data set on bbob-constrained for COCO (minutes; COCO="--budget 1000" for a larger one)
	$(BIN)/python benchmarks/coco_data.py --out out/coco $(COCO)

adapters: $(READY) ## problems of other packages' documentation, solved inside them
	$(BIN)/python benchmarks/adapters.py --csv docs/data/adapters.csv

fresh: $(READY) ## examples of the adapters in fresh environments, one extra at a time (downloads)
	$(BIN)/python scripts/fresh_environments.py

wheel: $(READY) ## build wheel and sdist into dist/
	$(BIN)/python -m build --outdir dist .

clean: ## remove everything made here
	rm -rf $(VENV) build dist out site .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
