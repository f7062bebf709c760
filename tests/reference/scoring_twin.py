"""Scores by the letter of their definitions: every pair, every checkpoint, no shortcuts.

Shares no code with the package. Trials come as lists of (f, v) pairs, one list a trial.
"""


def better(a, b):
    """Whether point a = (f, v) beats point b, feasibility first; infeasible f does not count."""
    if a[1] > 0 or b[1] > 0:
        return a[1] < b[1]
    return a[0] < b[0]


def pairwise_points(trials):
    """Accuracy and speed points of every trial against all others."""
    accuracy = [0.0] * len(trials)
    speed = [0.0] * len(trials)
    for i in range(len(trials)):
        for j in range(i):
            end_i, end_j = trials[i][-1], trials[j][-1]
            worse = end_j if better(end_i, end_j) else end_i
            _share(accuracy, i, j, better(end_i, end_j), better(end_j, end_i))
            at_i, at_j = _reached(trials[i], worse), _reached(trials[j], worse)
            _share(speed, i, j, at_i < at_j, at_j < at_i)
    return accuracy, speed


def target_ranks(trials):
    """Ranks of all trials by the target form, 1 = worst; each pair looked at on its own."""
    ends = sorted(trial[-1][0] for trial in trials if trial[-1][1] == 0)
    target = None
    if ends:
        low, high = ends[(len(ends) - 1) // 2], ends[len(ends) // 2]
        target = low if low == high or float("inf") in (-low, high) else (low + high) / 2
    keys = [_target_key(trial, target) for trial in trials]
    return [
        sum(other < key for other in keys) + (sum(other == key for other in keys) + 1) / 2
        for key in keys
    ]


def _target_key(trial, target):
    """(stratum, goodness within it)."""
    f, v = trial[-1]
    if v > 0:
        return (0, -v)
    if f > target:
        return (1, -f)
    first = next(k for k, point in enumerate(trial) if point[1] == 0 and point[0] <= target)
    return (2, -first)


def _reached(trial, goal):
    """First checkpoint at which the trial is at least as good as the goal."""
    return next(k for k, point in enumerate(trial) if not better(goal, point))


def _share(points, i, j, i_wins, j_wins):
    """Give the point to the winner, or half to each."""
    points[i] += 1.0 if i_wins else 0.0 if j_wins else 0.5
    points[j] += 1.0 if j_wins else 0.0 if i_wins else 0.5
