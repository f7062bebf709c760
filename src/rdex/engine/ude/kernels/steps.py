"""The two halves of every loop: draw a row, take its result.

A generation is drawn from one state and decided when all of it is in. So rows may be asked in
batches of any size up to a generation, and told in any order: the run is the same.
"""

from rdex.engine.kernels.drivers import keep_initial, record, take_values, write_trace
from rdex.engine.kernels.generation import copy_member
from rdex.engine.kernels.layout import INITIAL, Values
from rdex.engine.ude.kernels.generation import (
    begin_generation,
    end_generation,
    finish_initialisation,
)
from rdex.engine.ude.kernels.order import is_better, sort
from rdex.jit.compiling import part


@part()
def can_ask(settings, run, ahead):
    """Whether a further row may be drawn now: not beyond the initial points, the generation or
    the budget. There is no asking ahead: the next generation needs all of this one."""
    if run.asked >= settings.maxfev:
        return False
    if run.ready == 0:
        return run.asked < settings.n0
    return run.made < settings.trials


@part(inline=False)
def take_initial(state, k, row, values):
    """An initial point's result enters the population; True if it was the last."""
    settings, run, members, best = state.settings[0], state.run[0], state.members, state.best
    limit, initial, scratch = state.limit, state.initial, state.scratch
    keep_initial(run, members, initial, state.pending[k].target, row, values)
    complete = run.arrived == settings.n0
    if complete:
        finish_initialisation(settings, run, limit, members, best, initial, scratch.levels)
        sort(members.f, members.phi, state.ranks.pool, 0, run.n, scratch.rows)
    if complete or run.told == settings.maxfev:
        write_trace(0, settings, run, limit, members.phi, state.memory, best, state.trace)
    return complete


@part()
def tell_row(state, k, f_raw, g, h):
    """Take the result of pending row k; True if that ended a generation."""
    settings, run, members, best = state.settings[0], state.run[0], state.members, state.best
    limit, pending = state.limit, state.pending
    row = 3 * settings.n0 + k
    values = Values(f_raw, g, h)
    take_values(settings, run, limit, members, best, row, values)
    ended = False
    if pending[k].kind == INITIAL:
        ended = take_initial(state, k, row, values)
    else:
        pending[k].is_in = 1
        run.done += 1
        if run.done == settings.trials:
            ended = True
            end_generation(state)
    if ended:
        begin_generation(settings, run, state.learnt.tally)
    if run.told >= run.next_at:  # asked here, so that the call is not paid every time
        record(settings, run, limit, members.phi, state.memory, best, state.trace)
    return ended


@part()
def copy_pending(pending, target, source):
    """Pending row `target` is what pending row `source` is."""
    to, at = pending[target], pending[source]
    to.target = at.target
    to.kind = at.kind
    to.place = at.place
    to.is_in = at.is_in
    to.F = at.F
    to.CR = at.CR


@part(inline=False)
def admit_new(state, x, f_raw, g, h):
    """A newcomer counts as an evaluation and takes the worst member's place if it is better.

    It stands last until the generation ends; nothing is learnt from it. The trials of this
    generation move on by one number: they are the last `made`.
    """
    settings, run, members, best = state.settings[0], state.run[0], state.members, state.best
    limit, pending, pool = state.limit, state.pending, state.ranks.pool
    first = 3 * settings.n0
    capacity = pending.size
    for back in range(1, run.made + 1):
        source = (run.asked - back) % capacity
        target = (run.asked - back + 1) % capacity
        copy_member(members, first + target, first + source)
        copy_pending(pending, target, source)
    row = first + (run.asked - run.made) % capacity
    run.asked += 1
    for j in range(x.size):
        members.x[row, j] = x[j]
    take_values(settings, run, limit, members, best, row, Values(f_raw, g, h))
    worst = pool[run.n - 1]
    if is_better(members.f, members.phi, row, worst):
        copy_member(members, worst, row)
        state.ranks.idle[worst] = 0
    record(settings, run, limit, members.phi, state.memory, best, state.trace)
