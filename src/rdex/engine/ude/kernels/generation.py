"""What happens when all trials of a generation are in, and before the first one."""

import math

from rdex.engine.kernels.generation import copy_member, scale_constraints
from rdex.engine.kernels.layout import MCR, MF
from rdex.engine.kernels.random import below
from rdex.engine.ude.kernels.layout import (
    CELL_CR,
    CELL_F,
    CURRENT_TO_RAND_1,
    LOST,
    RAND_1,
    SUM_W,
    SUM_WCR,
    SUM_WF,
    SUM_WFF,
    WON,
)
from rdex.engine.ude.kernels.order import is_better, merge, sort, wins
from rdex.jit.compiling import part


@part(inline=False)
def update_epsilon(settings, run):
    """ε = eps0 (1 − τ)^cp while τ <= 0.5, then 0; τ is the share of the generations that are over,
    or of the time if that is more."""
    generations = max(1, settings.maxfev // settings.trials)
    tau = max(run.generation / generations, run.clock)
    if tau > settings.eps_until or run.eps_0 == 0.0:
        run.eps = 0.0
    else:
        run.eps = run.eps_0 * max(1.0 - tau, 0.0) ** run.eps_cp


@part(inline=False)
def update_roulette(settings, run, tally):
    """Shares of the strategies: equal for the first Lp generations, afterwards by what they won
    of what they tried in the last Lp."""
    period = tally.shape[1]
    if run.generation < period:
        run.up_to_1 = 1.0 / 3.0
        run.up_to_2 = 2.0 / 3.0
        return
    first = success_share(tally, 0, settings.share_floor)
    second = success_share(tally, 1, settings.share_floor)
    total = first + second + success_share(tally, 2, settings.share_floor)
    run.up_to_1 = first / total
    run.up_to_2 = (first + second) / total


@part(inline=False)
def success_share(tally, strategy, floor):
    """Wins / (wins + losses) + floor."""
    won = 0
    lost = 0
    for g in range(tally.shape[1]):
        won += tally[WON + strategy, g]
        lost += tally[LOST + strategy, g]
    return floor + (won / (won + lost) if won + lost > 0 else 0.0)


@part(inline=False)
def begin_generation(settings, run, tally):
    """A new ε and new shares; nothing is counted yet."""
    update_epsilon(settings, run)
    update_roulette(settings, run, tally)
    column = run.generation % tally.shape[1]
    for k in range(tally.shape[0]):
        tally[k, column] = 0
    run.made = 0
    run.done = 0
    run.staged = 0
    run.successes = 0


@part()
def gain(f, phi, u, x):
    """Weight of a trial that is better than its target by plain feasibility, else 0.

    UDE divides its sum of violations by m here: φ is what it means. Over a failed target, or one
    whose f is unknown, nothing is learnt.
    """
    if not is_better(f, phi, u, x):
        return 0.0
    weight = phi[x] - phi[u] if phi[x] > 0.0 else f[x] - f[u]
    return weight if math.isfinite(weight) else 0.0


@part(inline=False)
def learn(members, trial, row, sums):
    """Add a pending trial, in `row`, to the sums of its strategy."""
    weight = gain(members.f, members.phi, row, trial.target)
    if weight > 0.0:
        s = trial.kind - RAND_1
        sums[s, SUM_W] += weight
        sums[s, SUM_WF] += weight * trial.F
        sums[s, SUM_WFF] += weight * trial.F * trial.F
        sums[s, SUM_WCR] += weight * trial.CR


@part(inline=False)
def update_memory(learnt, memory):
    """One cell of each strategy that had a success takes its means: Lehmer's of F, the arithmetic
    one of CR."""
    cells, sums = learnt.cells, learnt.sums
    H = cells.shape[1]
    for s in range(3):
        total = sums[s, SUM_W]
        if total > 0.0 and math.isfinite(sums[s, SUM_WFF]) and sums[s, SUM_WF] > 0.0:
            k = learnt.cursor[s]
            learnt.cursor[s] = (k + 1) % H
            cells[CELL_F + s, k] = min(sums[s, SUM_WFF] / sums[s, SUM_WF], 1.0)
            if s + RAND_1 != CURRENT_TO_RAND_1:
                cells[CELL_CR + s, k] = min(sums[s, SUM_WCR] / total, 1.0)
            memory[MF, s] = mean_cell(cells, CELL_F + s)
            memory[MCR, s] = mean_cell(cells, CELL_CR + s)
        for column in range(sums.shape[1]):
            sums[s, column] = 0.0


@part(inline=False)
def mean_cell(cells, row):
    """Mean of a memory."""
    total = 0.0
    for k in range(cells.shape[1]):
        total += cells[row, k]
    return total / cells.shape[1]


@part(inline=False)
def list_trials(run, pending, rows):
    """rows[place] = pending row of each trial of the generation."""
    for number in range(run.asked - run.made, run.asked):
        k = number % pending.size
        rows[pending[k].place] = k


@part()
def best_of_three(members, pending, first, places, i, sums):
    """Pending row of the best trial of top target i; all three teach."""
    f, phi = members.f, members.phi
    best = places[3 * i]
    learn(members, pending[best], first + best, sums)
    for other in range(1, 3):
        rival = places[3 * i + other]
        learn(members, pending[rival], first + rival, sums)
        if is_better(f, phi, first + rival, first + best):
            best = rival
    return best


@part(inline=False)
def replace_targets(settings, run, members, ranks, pending, learnt, places):
    """Every target meets its trial: of a top target the best of three.

    places: pending rows of the trials by place."""
    tally, idle, phi = learnt.tally, ranks.idle, members.phi
    first = 3 * settings.n0
    column = run.generation % tally.shape[1]
    for i in range(run.n):
        if i < settings.top:
            k = best_of_three(members, pending, first, places, i, learnt.sums)
            tally[WON + pending[k].kind - RAND_1, column] += 1
        else:
            k = places[i + 2 * settings.top]
        target = pending[k].target
        s = pending[k].kind - RAND_1
        if wins(members.f, phi, first + k, target, run.eps):
            copy_member(members, target, first + k)
            tally[WON + s, column] += 1
            idle[target] = 0
            run.successes += 1
        else:
            tally[LOST + s, column] += 1
            idle[target] += 1
            if phi[first + k] < math.inf:  # a failed trial is no memory worth keeping
                copy_member(members, ranks.store[run.archived + run.staged], first + k)
                run.staged += 1


@part(inline=False)
def update_archive(run, members, store, scratch):
    """The best NP of the archive and the trials that lost."""
    middle = run.archived
    stop = middle + run.staged
    sort(members.f, members.phi, store, middle, stop, scratch)
    merge(members.f, members.phi, store, 0, middle, stop, scratch)
    run.archived = min(stop, run.n)


@part(inline=False)
def mean_distance(x, n, centre):
    """Mean distance of rows 0 .. n-1 to their centroid."""
    d = centre.size
    for j in range(d):
        centre[j] = 0.0
    for i in range(n):
        for j in range(d):
            centre[j] += x[i, j]
    for j in range(d):
        centre[j] /= n
    total = 0.0
    for i in range(n):
        square = 0.0
        for j in range(d):
            square += (x[i, j] - centre[j]) * (x[i, j] - centre[j])
        total += math.sqrt(square)
    return total / n


@part(inline=False)
def revive(settings, run, random, members, ranks, scratch):
    """If too many stand still while the population is spread out, the best of them gives way to a
    random member of the archive, which is not evaluated again. Draws its number only then."""
    pool, idle = ranks.pool, ranks.idle
    n = run.n
    stagnated = 0
    for i in range(n):
        stagnated += idle[i] > settings.stagnation
    if stagnated <= settings.stagnated_share * n or run.archived == 0:
        return
    if mean_distance(members.x, n, scratch.centre) <= settings.spread:
        return
    k = 0
    while idle[pool[k]] <= settings.stagnation:
        k += 1
    copy_member(members, pool[k], ranks.store[below(random, run.archived)])
    idle[pool[k]] = 0
    run.revived += 1
    sort(members.f, members.phi, pool, 0, n, scratch.rows)


@part(inline=False)
def end_generation(state):
    """Learn, replace, sort, keep what lost, and stir what stands still."""
    settings, run, members, ranks = state.settings[0], state.run[0], state.members, state.ranks
    rows = state.scratch.rows
    list_trials(run, state.pending, rows)
    replace_targets(settings, run, members, ranks, state.pending, state.learnt, rows)
    update_memory(state.learnt, state.memory)
    sort(members.f, members.phi, ranks.pool, 0, run.n, rows)
    update_archive(run, members, ranks.store, rows)
    revive(settings, run, state.random, members, ranks, state.scratch)
    run.sr = run.successes / run.n
    run.generation += 1


@part(inline=False)
def finish_initialisation(settings, run, limit, members, best, initial, levels):
    """All initial points are in: ε starts at their largest violation."""
    if run.scale_auto == 1:
        scale_constraints(settings, run, limit, members, best, initial, levels)
    largest = 0.0
    for i in range(run.n):
        if members.phi[i] < math.inf:
            largest = max(largest, members.phi[i])
    run.eps_0 = largest
    if largest > 0.0:
        power = (math.log(largest * limit.shape[1]) + settings.eps_offset) / math.log(2.0)
        run.eps_cp = min(max(power, 0.0), settings.eps_power)
    run.ready = 1
