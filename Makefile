# make run   the main job        make test   every default check        make help   the rest
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
endif
READY := $(VENV)/.ready
export RDEX_REFERENCE_DIR ?= $(abspath ../shared/reference)

.DEFAULT_GOAL := help
.PHONY: help setup run test lint test-all clean wheel

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | sed 's/:.*## /\t/' | expand -t 18

# Everything is installed again when the declared or pinned dependencies change, else never.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "rdex needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable ".[bench,cluster,peers,dev]"
	@touch $@

setup: $(READY) ## create .venv with everything installed

run: $(READY) ## solve an engineering design, then a small benchmark campaign with its report
	@$(BIN)/python examples/tour.py

lint: $(READY) ## ruff, mypy, import directions
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

test: lint ## all default checks
	@$(BIN)/python -m pytest -q

test-all: test ## also slow and statistical tests, JIT off with coverage, bounds checks
	$(BIN)/python -m pytest -q -m slow
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -m "not slow and not compiled" \
	  --cov=rdex --cov-report=term:skip-covered
	NUMBA_BOUNDSCHECK=1 RDEX_CACHE_DIR=$(CURDIR)/out/boundscheck $(BIN)/python -m pytest -q

wheel: $(READY) ## build wheel and sdist into dist/
	$(BIN)/python -m build --outdir dist .

clean: ## remove everything made here
	rm -rf $(VENV) build dist out site .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
