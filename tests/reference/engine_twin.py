"""The engine again, slow and plain, written from the specification of the method.

It shares no code with the kernels. It sorts the front anew for every trial, draws ranks from
cumulative sums, sorts whole lists where the kernels merge, and keeps its own xoshiro256++ in
Python integers. What it has in common with them is the contract: which random word is used for
what (the heads of `random`, `sampling` and `variation` state it), and the order of additions in
sums that decide the trajectory, so that equality can be exact.
"""

import math

import numpy as np

MASK = 2**64 - 1


def bell_edges(layers=128, tail=3.442619855899, area=9.91256303526217e-3):
    """Where layers of equal area under exp(−x²/2) end, from the outermost to the innermost."""
    edges = [area / math.exp(-0.5 * tail * tail), tail]
    while len(edges) < layers:
        x = edges[-1]
        edges.append(math.sqrt(-2 * math.log(area / x + math.exp(-0.5 * x * x))))
    return [*edges, 0.0]


BELL = bell_edges()


class Words:
    """xoshiro256++ of Blackman and Vigna, and the numbers made of its words."""

    def __init__(self, words):
        self.s = [int(word) for word in words[:4]]

    def word(self):
        def rotate(value, k):
            return (value << k | value >> (64 - k)) & MASK

        s = self.s
        result = (rotate((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)
        return result

    def following(self, n):
        """The next n words, without using them up."""
        other = Words(self.s)
        return [other.word() for _ in range(n)]

    def uniform(self):
        return (self.word() >> 11) / 2**53

    def below(self, n):
        return math.floor(self.uniform() * n)

    def disc(self):
        while True:
            a = 2 * self.uniform() - 1
            b = 2 * self.uniform() - 1
            if 0 < a * a + b * b <= 1:
                return a, b

    def normal(self):
        """128 layers of equal area under the bell, the widest with the tail."""
        while True:
            word = self.word()
            k = word % 128
            place = 2 * ((word >> 11) / 2**53) - 1
            if abs(place) < BELL[k + 1] / BELL[k]:
                return place * BELL[k]
            if k == 0:
                while True:
                    x = -math.log(1 - self.uniform()) / BELL[1]
                    if -2 * math.log(1 - self.uniform()) >= x * x:
                        return math.copysign(BELL[1] + x, place)
            z = place * BELL[k]
            outer, inner = (math.exp(-0.5 * (edge**2 - z * z)) for edge in BELL[k : k + 2])
            if inner + self.uniform() * (outer - inner) < 1:
                return z

    def cauchy(self):
        while True:
            a, b = self.disc()
            if b != 0:
                return a / b

    def rank(self, weights):
        """Position drawn with these weights, by their cumulative sums."""
        total = np.cumsum(weights)
        found = np.searchsorted(total, self.uniform() * total[-1], side="right")
        return min(int(found), len(weights) - 1)


def mean_violation(g, h, eq_tol, ineq_tol, scale, excess):
    """φ: the mean over all constraints, or inf if one is not finite."""
    values = [*g, *h]
    if not np.isfinite(values).all():
        return math.inf
    if not values:
        return 0.0
    parts = []
    for k, value in enumerate(g):
        parts.append(value * (1 / scale[k]) if value > ineq_tol[k] else 0.0)
    for k, value in enumerate(h):
        size = abs(value)
        counted = size - eq_tol[k] if excess else size
        parts.append(counted * (1 / scale[len(g) + k]) if size > eq_tol[k] else 0.0)
    return sum(parts) / len(values)


def judged(f, phi):
    """(f, φ) without NaN: failures are (inf, inf), an unknown f of an infeasible point is inf."""
    if math.isinf(phi) or math.isinf(f) or (math.isnan(f) and phi == 0):
        return math.inf, math.inf
    return (math.inf if math.isnan(f) else f), phi


def key(f, phi, eps):
    """The ε-score as something Python can sort by."""
    return (0, f) if phi <= eps else (1, phi)


class Twin:
    """One run. `advance` goes on to the end of the present generation (or of the start)."""

    def __init__(self, problem, settings, maxfev, words, *, n0, checkpoints=10, eq_tol=1e-4,
                 ineq_tol=0.0, scale="none"):  # fmt: skip
        self.evaluate_rows = problem.evaluate
        self.low, self.high = problem.lower, problem.upper
        self.d = problem.dim
        self.m_g, self.m_h = problem.n_ineq, problem.n_eq
        self.s = settings
        self.maxfev, self.n0, self.checkpoints = maxfev, n0, checkpoints
        self.eq_tol = np.broadcast_to(eq_tol, self.m_h)
        self.ineq_tol = np.broadcast_to(ineq_tol, self.m_g)
        self.scale_auto = isinstance(scale, str) and scale == "auto"
        m = self.m_g + self.m_h
        self.scale = np.ones(m) if isinstance(scale, str) else np.broadcast_to(scale, m)
        self.random = Words(words)
        width = (self.high - self.low) / 200 if settings.perturb_unit == "range" else 1.0
        self.unit = np.broadcast_to(settings.perturb_scale * width, self.d)
        self.nfe = self.generation = self.failed = self.restarts = 0
        self.eps = 0.0
        self.best = None  # (φ, f, x, raw φ)
        self.trace = {}  # checkpoint -> (f, raw φ)
        self.due = 1
        self.points = []  # every evaluated point
        self.renew()

    def renew(self):
        """A population that nothing is known of yet."""
        s = self.s
        self.since = self.nfe
        self.settled_at = None  # evaluations of this population when, settled, it last improved
        self.n = self.n0
        self.ring = self.cursor = 0
        self.SR, self.rho = s.start_SR, s.eb_rate
        self.M_F = [s.memory_F] * s.memory_size
        self.M_CR = [s.memory_CR] * s.memory_size
        self.start = []
        for _ in range(self.n0):
            u = np.array([self.random.uniform() for _ in range(self.d)])
            self.start.append(np.minimum(self.low + u * (self.high - self.low), self.high))
        self.front = None  # slot -> (x, f, φ)

    @property
    def t(self):
        """The used share of what this population had at its start."""
        return (self.nfe - self.since) / (self.maxfev - self.since)

    # --- evaluation -----------------------------------------------------------------------------
    def phi_of(self, g, h, scale):
        excess = self.s.equality == "excess"
        return mean_violation(g, h, self.eq_tol, self.ineq_tol, scale, excess)

    def evaluate(self, x):
        F, G, H = self.evaluate_rows(x[None])
        g, h = [float(v) for v in G[0]], [float(v) for v in H[0]]
        f, phi = judged(float(F[0]), self.phi_of(g, h, self.scale))
        self.nfe += 1
        self.failed += phi == math.inf
        self.points.append(x)
        raw = math.inf if phi == math.inf else self.phi_of(g, h, np.ones(len(self.scale)))
        if self.best is None or (phi, f) < self.best[:2]:
            self.best = (phi, f, x, raw)
        return f, phi, g, h

    def record(self):
        while self.due <= self.checkpoints and (
            self.nfe >= -(-self.due * self.maxfev // self.checkpoints)
        ):
            self.trace[self.due] = (self.best[1], self.best[3])
            self.due += 1

    # --- the run --------------------------------------------------------------------------------
    def advance(self):
        """True if a generation (or the start) was completed before the budget ended."""
        return self.first_generation() if self.front is None else self.next_generation()

    def first_generation(self):
        results = []
        for x in self.start[: self.maxfev - self.nfe]:
            results.append(self.evaluate(x))
            if len(results) < self.n0:
                self.record()
        if len(results) < self.n0:
            self.note_start()
            return False
        members = [(x, f, phi) for x, (f, phi, _, _) in zip(self.start, results, strict=True)]
        if self.scale_auto and self.restarts == 0:
            members = self.rescale(members, results)
        self.initial, self.front = members, list(members)
        # P: row number -> member. Row numbers break ties, so the twin keeps them too.
        self.rows = list(range(self.n0, 3 * self.n0))
        self.member = dict(zip(self.rows, members, strict=False))
        self.note_start()
        self.begin()
        self.record()
        return True

    def note_start(self):
        if self.restarts == 0:
            self.trace[0] = (self.best[1], self.best[3])

    def rescale(self, members, results):
        """Scales from the start, and everything that was said about the start again."""
        values = np.array([[*g, *h] for _, _, g, h in results]).reshape(self.n0, -1)
        for k in range(values.shape[1]):
            sizes = np.abs(values[:, k])
            sizes = sizes[np.isfinite(sizes)]
            middle = float(np.median(sizes)) if sizes.size else 0.0
            self.scale[k] = middle if middle > 0 else 1.0
        again = []
        self.best = None
        for (x, f, phi), (_, _, g, h) in zip(members, results, strict=True):
            if phi < math.inf:
                phi = self.phi_of(g, h, self.scale)
                raw = self.phi_of(g, h, np.ones(len(self.scale)))
                if self.best is None or (phi, f) < self.best[:2]:
                    self.best = (phi, f, x, raw)
            again.append((x, f, phi))
        self.best = self.best or (math.inf, math.inf, self.start[0], math.inf)
        return again

    def begin(self):
        t = self.t
        levels = np.sort([m[2] for m in self.front if m[2] < math.inf])
        if t > self.s.eps_until or levels.size == 0:
            self.eps = 0.0
        else:
            share = self.s.eps_share
            middle = levels[math.floor(share * (levels.size - 1))]
            if levels[0] > 0 and middle < 10 * levels[0]:
                share = min(share, self.s.eps_locked_share)
            k = math.floor(share * self.n * (1 - t) * (1 - t))
            if self.s.eps_position == "paper":
                k = max(1, k) - 1
            self.eps = float(levels[min(k, levels.size - 1)])
            if t < self.s.eps_floor_until:
                worst = max((m[2] for m in self.initial if m[2] < math.inf), default=0.0)
                share = 1 - t / self.s.eps_floor_until
                self.eps = max(self.eps, worst * share**self.s.eps_floor_power)
        self.sort_P(self.n)
        self.gains = {True: 0.0, False: 0.0}
        self.learned = []  # (Δ, F, A)
        self.successes = 0
        self.made = 0
        self.start_f = [m[1] for m in self.front]
        self.latest = {}

    def sort_P(self, stop):
        head = sorted(self.rows[:stop], key=lambda r: (*key(*self.member[r][1:], self.eps), r))
        self.rows = head + self.rows[stop:]

    def front_ranks(self):
        return sorted(range(self.n), key=lambda i: (*key(*self.front[i][1:], self.eps), i))

    def next_generation(self):
        while self.nfe < self.maxfev:
            self.trial()
            self.made += 1
            ended = self.made == self.n
            if ended:
                self.end()
                if self.has_stalled():
                    self.restarts += 1
                    self.renew()
                else:
                    self.begin()
            self.record()
            if ended:
                return True
        return False

    # --- one trial ------------------------------------------------------------------------------
    def trial(self):
        s, random, n = self.s, self.random, self.n
        t = self.t
        ranks = self.front_ranks()
        i = self.made if s.targets == "sweep" else random.below(n)
        biased = t >= s.eb_from and random.uniform() < self.rho
        P = [self.member[row] for row in self.rows[:n]]
        if biased:
            F, CR, a, b, c = self.biased_choice(i, t, ranks, P)
        else:
            F, CR, a, b, c = self.standard_choice(i, ranks, P)
        x_i = self.front[i][0]
        v = x_i + F * (a - x_i) + F * (b - c)
        perturb = s.perturb_probability > 0 and random.uniform() < s.perturb_probability
        u, A = self.crossed(v, x_i, CR, perturb)
        u = self.repaired(u, x_i)
        racing = self.is_racing(i, t, ranks)
        f, phi, _, _ = self.evaluate(u)
        if racing:
            self.record()
            u2, A2 = self.racer(i, F, CR, ranks, P)
            f2, phi2, _, _ = self.evaluate(u2)
            if not key(f, phi, self.eps) < key(f2, phi2, self.eps):
                u, A, f, phi = u2, A2, f2, phi2
        self.latest[i] = (f, biased)
        self.select(i, u, f, phi, F, A, biased)

    def standard_choice(self, i, ranks, P):
        s, random, n = self.s, self.random, self.n
        best = max(2, math.floor(s.pbest_share * n))
        weights = [math.exp(-s.rank_pressure * rank / n) for rank in range(n)]
        pbest = until(lambda: random.below(best), (i,))
        r1 = until(lambda: ranks[random.rank(weights)], (pbest,))
        r2 = until(lambda: random.below(n), (pbest, r1))
        slot = random.below(s.memory_size)
        if s.F_rule == "memory":
            F = -1.0
            while F <= 0:
                F = min(self.M_F[slot] + s.F_cauchy * random.cauchy(), 1.0)
        else:
            centre = self.SR**s.F_exponent
            F = centre + s.F_sigma * random.normal()
            while not 0 <= F <= 1:
                F = centre + s.F_sigma * random.normal()
        CR = min(max(self.M_CR[slot] + s.CR_sigma * random.normal(), 0.0), 1.0)
        return F, CR, P[pbest][0], self.front[r1][0], P[r2][0]

    def biased_choice(self, i, t, ranks, P):
        s, random, n = self.s, self.random, self.n
        best = max(2, math.floor(s.eb_pbest_share * (1 - s.eb_pbest_decay * t) * n))
        pbest = until(lambda: random.rank(range(n, n - best, -1)), (i,))
        r1 = until(lambda: ranks[random.rank(range(n, 0, -1))], (pbest,))
        r2 = until(lambda: random.rank(range(n, 0, -1)), (pbest, r1))
        slot = random.below(s.memory_size + 1)
        centre_F, centre_CR = [*zip(self.M_F, self.M_CR, strict=True), (s.eb_F, s.eb_CR)][slot]
        F = centre_F + s.F_cauchy * random.cauchy()
        while not 0 <= F <= 1:
            F = centre_F + s.F_cauchy * random.cauchy()
        CR = min(max(centre_CR + s.CR_sigma * random.normal(), 0.0), 1.0)
        for floor, until_t in zip(s.eb_CR_floors, s.eb_CR_floors_until, strict=True):
            if t < until_t:
                CR = max(CR, floor)
                break
        donors = [P[pbest], self.front[r1], P[r2]]
        if s.eb_order == "objective":
            donors.sort(key=lambda m: m[1])
        else:
            donors.sort(key=lambda m: key(m[1], m[2], self.eps))
        return F, CR, donors[0][0], donors[1][0], donors[2][0]

    def crossed(self, v, x_i, CR, perturb):
        j_rand = self.random.below(self.d)
        if CR >= 1:
            return v.copy(), 1.0
        words = [self.random.word() for _ in range((self.d + 1) // 2)]
        halves = [half for word in words for half in (word & (2**32 - 1), word >> 32)]
        is_taken = np.array([half < math.floor(CR * 2**32) for half in halves[: self.d]])
        is_taken[j_rand] = True
        u = np.where(is_taken, v, x_i)
        if perturb:
            for j in np.flatnonzero(~is_taken):
                u[j] = x_i[j] + self.unit[j] * self.random.cauchy()
        return u, is_taken.sum() / self.d

    def repaired(self, u, x_i):
        for j in range(self.d):
            for bound, is_out in ((self.low[j], u[j] < self.low[j]),
                                  (self.high[j], u[j] > self.high[j])):  # fmt: skip
                if is_out:
                    mixed = x_i[j] + self.s.repair_share * (bound - x_i[j])
                    u[j] = min(max(mixed, self.low[j]), self.high[j])
                    break
        return u

    # --- the race -------------------------------------------------------------------------------
    def is_racing(self, i, t, ranks):
        s = self.s
        if not s.race or t >= s.race_until or self.nfe + 2 > self.maxfev:
            return False
        near = sum(m[2] < s.race_feasible_phi for m in self.front)
        first = max(1, math.floor(s.race_target_share * self.n + 0.5))
        return near > s.race_feasible_share * self.n and i in ranks[:first]

    def racer(self, i, F, CR, ranks, P):
        s, random, n = self.s, self.random, self.n
        a = until(lambda: random.below(n), (i,))
        c = until(lambda: random.below(n), (i, a))
        first = max(1, math.floor(s.race_donor_share * n + 0.5))
        for _ in range(7):
            b = ranks[random.below(first)]
            if b != i:
                break
        else:
            b = random.below(n)
        x_i = self.front[i][0]
        pull, push = s.race_pull * F, s.race_push * F
        v = x_i + pull * (self.front[b][0] - x_i) + push * (P[a][0] - P[c][0])
        u, A = self.crossed(v, x_i, min(max(CR, s.race_CR[0]), s.race_CR[1]), False)
        return self.repaired(u, x_i), A

    # --- what a trial changes -------------------------------------------------------------------
    def select(self, i, u, f, phi, F, A, biased):
        if phi == math.inf:
            return
        _, f_i, phi_i = self.front[i]
        soft_u = 0 if phi <= self.eps else phi
        soft_i = 0 if phi_i <= self.eps else phi_i
        if (phi <= self.eps or soft_u == soft_i) and f <= f_i:
            gain = 0.0 if math.isinf(f_i) else f_i - f
        elif soft_u < soft_i:
            gain = 0.0 if math.isinf(soft_i) else soft_i - soft_u
        else:
            return
        self.gains[biased] += gain
        self.learned.append((gain, F, A))
        if self.s.replacement == "target":
            self.front[i] = (u, f, phi)
        else:
            self.front[self.ring] = (u, f, phi)
            self.ring = (self.ring + 1) % self.n
        self.member[self.rows[self.n + self.successes]] = (u, f, phi)
        self.successes += 1

    # --- the end of a generation ----------------------------------------------------------------
    def end(self):
        s, n = self.s, self.n
        eb, std = self.gains[True], self.gains[False]
        if s.eb_credit == "objective":
            eb, std = self.raw_gains()
        self.rho = eb / (eb + std) if eb > 0 and std > 0 else s.eb_rate
        self.SR = self.successes / n
        if self.learned:
            k, w = self.cursor, s.memory_weight
            self.M_F[k] = (1 - w) * self.M_F[k] + w * lehmer([(g, F) for g, F, _ in self.learned])
            self.M_CR[k] = (1 - w) * self.M_CR[k] + w * lehmer([(g, A) for g, _, A in self.learned])
            self.cursor = (k + 1) % s.memory_size
        t = self.t
        smaller = min(n, max(s.n_min, math.floor(self.n0 + (s.n_min - self.n0) * t)))
        kept = set(self.front_ranks()[:smaller])
        self.front = [member for i, member in enumerate(self.front) if i in kept]
        self.ring %= smaller
        self.sort_P(n + self.successes)
        self.n = smaller
        self.generation += 1

    def has_stalled(self):
        if self.s.restart_after == 0:
            return False
        places = np.array([x for x, _, _ in self.front])
        apart = np.abs(places - places[0]).max(axis=0)
        if (apart > 1e-9 * (self.high - self.low)).any():
            self.settled_at = None
            return False
        used = self.nfe - self.since
        least = min((phi, f) for _, f, phi in self.front)
        if self.settled_at is None or least < self.least:
            self.settled_at, self.least = used, least
        is_long = used >= self.s.restart_after * self.settled_at
        return is_long and self.maxfev - self.nfe >= 2 * self.n0

    def raw_gains(self):
        eb = std = 0.0
        for i in range(self.n):
            f, biased = self.latest.get(i, (math.inf, False))
            gain = self.start_f[i] - f
            if gain > 0 and math.isfinite(gain):
                eb, std = (eb + gain, std) if biased else (eb, std + gain)
        return eb, std


def until(draw, forbidden):
    """Draw again while the number is forbidden."""
    while True:
        found = draw()
        if found not in forbidden:
            return found


def lehmer(pairs):
    """Weighted Lehmer mean; the sums are made in the order of the successes."""
    total = first = second = 0.0
    for weight, value in pairs:
        total += weight
        first += weight * value
        second += weight * value * value
    if total == 0:
        return 1.0
    weights = np.array([weight for weight, _ in pairs]) / total
    values = np.array([value for _, value in pairs])
    if weights @ values < 1e-8:
        return 1.0
    plain = (weights @ values**2) / (weights @ values)
    mean = min(second / first, 1.0)
    assert math.isclose(mean, plain, rel_tol=1e-9)
    return mean
