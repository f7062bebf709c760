"""What happens when all trials of a generation are in, and before the first one."""

import math

from rdex.engine.kernels.generation import copy_member, scale_constraints
from rdex.engine.kernels.layout import (
    ASKED,
    CLOCK,
    DONE,
    DRAW_CR,
    DRAW_F,
    EPS,
    EPS_UNTIL,
    GENERATION,
    KIND,
    MADE,
    MAXFEV,
    MCR,
    MF,
    N0,
    READY,
    SCALE_AUTO,
    SR,
    STAGED,
    SUCCESSES,
    TARGET,
    N,
)  # fmt: skip
from rdex.engine.kernels.random import below
from rdex.engine.ude.kernels.layout import (
    ARCHIVED,
    CELL_CR,
    CELL_F,
    CURRENT_TO_RAND_1,
    CURSOR_1,
    EPS0,
    EPS_CP,
    EPS_OFFSET,
    EPS_POWER,
    LOST,
    PLACE,
    RAND_1,
    REVIVED,
    SHARE_FLOOR,
    SPREAD,
    STAGNATED_SHARE,
    STAGNATION,
    SUM_W,
    SUM_WCR,
    SUM_WF,
    SUM_WFF,
    TOP,
    TRIALS,
    UP_TO_1,
    UP_TO_2,
    WON,
)
from rdex.engine.ude.kernels.order import is_better, merge, sort, wins
from rdex.jit.compiling import part


@part(inline=False)
def update_epsilon(param, count, value):
    """ε = eps0 (1 − τ)^cp while τ <= 0.5, then 0; τ is the share of the generations that are over,
    or of the time if that is more."""
    generations = max(1, int(param[MAXFEV]) // int(param[TRIALS]))
    tau = max(count[GENERATION] / generations, value[CLOCK])
    if tau > param[EPS_UNTIL] or value[EPS0] == 0.0:
        value[EPS] = 0.0
    else:
        value[EPS] = value[EPS0] * max(1.0 - tau, 0.0) ** value[EPS_CP]


@part(inline=False)
def update_roulette(param, count, value, tally):
    """Shares of the strategies: equal for the first Lp generations, afterwards by what they won
    of what they tried in the last Lp."""
    period = tally.shape[1]
    if count[GENERATION] < period:
        value[UP_TO_1] = 1.0 / 3.0
        value[UP_TO_2] = 2.0 / 3.0
        return
    first = success_share(tally, 0, param[SHARE_FLOOR])
    second = success_share(tally, 1, param[SHARE_FLOOR])
    total = first + second + success_share(tally, 2, param[SHARE_FLOOR])
    value[UP_TO_1] = first / total
    value[UP_TO_2] = (first + second) / total


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
def begin_generation(param, count, value, tally):
    """A new ε and new shares; nothing is counted yet."""
    update_epsilon(param, count, value)
    update_roulette(param, count, value, tally)
    column = count[GENERATION] % tally.shape[1]
    for k in range(tally.shape[0]):
        tally[k, column] = 0
    count[MADE] = 0
    count[DONE] = 0
    count[STAGED] = 0
    count[SUCCESSES] = 0


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
def learn(f, phi, info, draw, row, k, sums):
    """Add pending trial k, in `row`, to the sums of its strategy."""
    weight = gain(f, phi, row, info[k, TARGET])
    if weight > 0.0:
        s = info[k, KIND] - RAND_1
        F = draw[k, DRAW_F]
        sums[s, SUM_W] += weight
        sums[s, SUM_WF] += weight * F
        sums[s, SUM_WFF] += weight * F * F
        sums[s, SUM_WCR] += weight * draw[k, DRAW_CR]


@part(inline=False)
def update_memory(count, cells, memory, sums):
    """One cell of each strategy that had a success takes its means: Lehmer's of F, the arithmetic
    one of CR."""
    H = cells.shape[1]
    for s in range(3):
        total = sums[s, SUM_W]
        if total > 0.0 and math.isfinite(sums[s, SUM_WFF]) and sums[s, SUM_WF] > 0.0:
            k = count[CURSOR_1 + s]
            count[CURSOR_1 + s] = (k + 1) % H
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
def list_trials(count, info, rows):
    """rows[place] = pending row of each trial of the generation."""
    capacity = info.shape[0]
    for number in range(count[ASKED] - count[MADE], count[ASKED]):
        k = number % capacity
        rows[info[k, PLACE]] = k


@part(inline=False)
def replace_targets(param, count, value, x, f, phi, store, info, draw, tally, idle, rows, sums):
    """Every target meets its trial: of a top target the best of three, all of which teach.

    rows: pending rows of the trials by place."""
    first = 3 * int(param[N0])
    top = int(param[TOP])
    column = count[GENERATION] % tally.shape[1]
    for i in range(count[N]):
        if i < top:
            k = rows[3 * i]
            learn(f, phi, info, draw, first + k, k, sums)
            for other in range(1, 3):
                rival = rows[3 * i + other]
                learn(f, phi, info, draw, first + rival, rival, sums)
                if is_better(f, phi, first + rival, first + k):
                    k = rival
            tally[WON + info[k, KIND] - RAND_1, column] += 1
        else:
            k = rows[i + 2 * top]
        target = info[k, TARGET]
        s = info[k, KIND] - RAND_1
        if wins(f, phi, first + k, target, value[EPS]):
            copy_member(x, f, phi, target, first + k)
            tally[WON + s, column] += 1
            idle[target] = 0
            count[SUCCESSES] += 1
        else:
            tally[LOST + s, column] += 1
            idle[target] += 1
            if phi[first + k] < math.inf:  # a failed trial is no memory worth keeping
                copy_member(x, f, phi, store[count[ARCHIVED] + count[STAGED]], first + k)
                count[STAGED] += 1


@part(inline=False)
def update_archive(count, f, phi, store, scratch):
    """The best NP of the archive and the trials that lost."""
    middle = count[ARCHIVED]
    stop = middle + count[STAGED]
    sort(f, phi, store, middle, stop, scratch)
    merge(f, phi, store, 0, middle, stop, scratch)
    count[ARCHIVED] = min(stop, count[N])


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
def revive(param, count, random, x, f, phi, pool, store, idle, scratch, centre):
    """If too many stand still while the population is spread out, the best of them gives way to a
    random member of the archive, which is not evaluated again. Draws its number only then."""
    n = count[N]
    stagnated = 0
    for i in range(n):
        stagnated += idle[i] > param[STAGNATION]
    if stagnated <= param[STAGNATED_SHARE] * n or count[ARCHIVED] == 0:
        return
    if mean_distance(x, n, centre) <= param[SPREAD]:
        return
    k = 0
    while idle[pool[k]] <= param[STAGNATION]:
        k += 1
    copy_member(x, f, phi, pool[k], store[below(random, count[ARCHIVED])])
    idle[pool[k]] = 0
    count[REVIVED] += 1
    sort(f, phi, pool, 0, n, scratch)


@part(inline=False)
def end_generation(param, count, value, random, x, f, phi, pool, store, info, draw, cells, memory,
                   tally, idle, scratch, centre, sums):  # fmt: skip
    """Learn, replace, sort, keep what lost, and stir what stands still."""
    list_trials(count, info, scratch)
    replace_targets(param, count, value, x, f, phi, store, info, draw, tally, idle, scratch, sums)
    update_memory(count, cells, memory, sums)
    sort(f, phi, pool, 0, count[N], scratch)
    update_archive(count, f, phi, store, scratch)
    revive(param, count, random, x, f, phi, pool, store, idle, scratch, centre)
    value[SR] = count[SUCCESSES] / count[N]
    count[GENERATION] += 1


@part(inline=False)
def finish_initialisation(param, count, value, limit, x, f, phi, pool, best_x, best_g, best_h,
                          initial, scratch, levels):  # fmt: skip
    """All initial points are in: they are sorted, and ε starts at their largest violation."""
    if count[SCALE_AUTO] == 1:
        scale_constraints(
            param, count, value, limit, x, f, phi, best_x, best_g, best_h, initial, levels
        )
    n = count[N]
    sort(f, phi, pool, 0, n, scratch)
    largest = 0.0
    for i in range(n):
        if phi[i] < math.inf:
            largest = max(largest, phi[i])
    value[EPS0] = largest
    if largest > 0.0:
        power = (math.log(largest * limit.shape[1]) + param[EPS_OFFSET]) / math.log(2.0)
        value[EPS_CP] = min(max(power, 0.0), param[EPS_POWER])
    count[READY] = 1
