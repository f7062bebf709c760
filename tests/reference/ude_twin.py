"""UDE again, slow and plain, written from its specification; shares no code with the kernels.

It sorts whole lists, keeps members as tuples and learns from lists of successes. In common with the
kernels are the contract (which random word is used for what: the head of `ude.kernels.variation`)
and the order of additions in sums that decide the trajectory, so that equality can be exact.
"""

import math

import numpy as np

from reference.engine_twin import Words, judged, mean_violation, until

RAND, CURRENT, PBEST = 0, 1, 2


class UdeTwin:
    """One run. `advance` goes on to the end of the present generation (or of the start)."""

    def __init__(self, problem, settings, maxfev, words, *, checkpoints=10, eq_tol=1e-4,
                 ineq_tol=0.0, scale="none"):  # fmt: skip
        self.evaluate_rows = problem.evaluate
        self.low, self.high = problem.lower, problem.upper
        self.d, self.m_g, self.m_h = problem.dim, problem.n_ineq, problem.n_eq
        self.s = settings
        self.n = settings.n0
        self.T = max(1, math.floor(settings.top_share * self.n + 0.5))
        self.maxfev, self.checkpoints = maxfev, checkpoints
        self.max_generation = max(1, maxfev // (self.n + 2 * self.T))
        self.eq_tol = np.broadcast_to(eq_tol, self.m_h)
        self.ineq_tol = np.broadcast_to(ineq_tol, self.m_g)
        self.is_auto = isinstance(scale, str) and scale == "auto"
        m = self.m_g + self.m_h
        self.scale = np.ones(m) if isinstance(scale, str) else np.broadcast_to(scale, m)
        self.random = Words(words)
        self.nfe = self.generation = self.failed = self.revived = 0
        self.best = None  # (φ, f, x, raw φ)
        self.trace, self.due = {}, 1
        H = settings.memory_size
        self.M_F = [[settings.memory_F] * H for _ in range(3)]
        self.M_CR = [[settings.memory_CR] * H, [1.0] * H, [settings.memory_CR] * H]
        self.cursor = [0, 0, 0]
        self.history = []  # a generation each: [(wins, losses) of the three strategies]
        self.archive = []  # row numbers, best first
        self.free = list(range(self.n, 3 * self.n))
        self.member = {}  # row number -> (x, f, φ)
        self.idle = [0] * self.n
        self.start = []
        for _ in range(self.n):
            u = np.array([self.random.uniform() for _ in range(self.d)])
            self.start.append(np.minimum(self.low + u * (self.high - self.low), self.high))
        self.order = None

    # --- evaluation -----------------------------------------------------------------------------
    def phi_of(self, g, h, scale):
        return mean_violation(g, h, self.eq_tol, self.ineq_tol, scale, False)

    def evaluate(self, x):
        F, G, H = self.evaluate_rows(x[None])
        g, h = [float(v) for v in G[0]], [float(v) for v in H[0]]
        f, phi = judged(float(F[0]), self.phi_of(g, h, self.scale))
        self.nfe += 1
        self.failed += phi == math.inf
        self.keep_best(x, f, phi, g, h)
        return f, phi, g, h

    def keep_best(self, x, f, phi, g, h):
        raw = math.inf if phi == math.inf else self.phi_of(g, h, np.ones(len(self.scale)))
        if self.best is None or (phi, f) < self.best[:2]:
            self.best = (phi, f, x, raw)

    def record(self):
        while self.due <= self.checkpoints and (
            self.nfe >= -(-self.due * self.maxfev // self.checkpoints)
        ):
            self.trace[self.due] = (self.best[1], self.best[3])
            self.due += 1

    # --- the run --------------------------------------------------------------------------------
    def advance(self):
        """True if a generation (or the start) was completed before the budget ended."""
        return self.first_generation() if self.order is None else self.next_generation()

    def first_generation(self):
        results = []
        for x in self.start[: self.maxfev]:
            results.append(self.evaluate(x))
            if len(results) < self.n:
                self.record()
        if len(results) < self.n:
            self.trace[0] = (self.best[1], self.best[3])
            return False
        for i, (f, phi, _, _) in enumerate(results):
            self.member[i] = (self.start[i], f, phi)
        if self.is_auto:
            self.rescale(results)
        self.order = self.sorted(range(self.n))
        self.eps0 = max((m[2] for m in self.member.values() if m[2] < math.inf), default=0.0)
        self.cp = 0.0
        if self.eps0 > 0:
            total = self.eps0 * len(self.scale)  # UDE's violation is the sum
            self.cp = min(max((math.log(total) + self.s.eps_offset) / math.log(2), 0),
                          self.s.eps_power)  # fmt: skip
        self.trace[0] = (self.best[1], self.best[3])
        self.begin()
        self.record()
        return True

    def rescale(self, results):
        values = np.array([[*g, *h] for _, _, g, h in results]).reshape(self.n, -1)
        for k in range(values.shape[1]):
            sizes = np.abs(values[:, k])
            sizes = sizes[np.isfinite(sizes)]
            middle = float(np.median(sizes)) if sizes.size else 0.0
            self.scale[k] = middle if middle > 0 else 1.0
        first, self.best = self.best, None
        for i, (_, _, g, h) in enumerate(results):
            x, f, phi = self.member[i]
            if phi < math.inf:
                self.member[i] = (x, f, self.phi_of(g, h, self.scale))
                self.keep_best(*self.member[i], g, h)
        self.best = self.best or first

    def sorted(self, rows):
        return sorted(rows, key=lambda r: (self.member[r][2], self.member[r][1], r))

    def begin(self):
        tau = self.generation / self.max_generation
        over = tau > self.s.eps_until or self.eps0 == 0
        self.eps = 0.0 if over else self.eps0 * max(1 - tau, 0.0) ** self.cp
        recent = self.history[-self.s.learning_period :]
        if self.generation < self.s.learning_period:
            self.shares = [1 / 3, 2 / 3]
        else:
            rates = []
            for s in range(3):
                won = sum(tally[s][0] for tally in recent)
                lost = sum(tally[s][1] for tally in recent)
                rate = won / (won + lost) if won + lost else 0.0
                rates.append(self.s.share_floor + rate)
            total = rates[0] + rates[1] + rates[2]
            self.shares = [rates[0] / total, (rates[0] + rates[1]) / total]

    def next_generation(self):
        trials = []  # (strategy, F, CR, x, f, φ), three for each top target, then one
        for q in range(self.n + 2 * self.T):
            if self.nfe == self.maxfev:
                return False
            is_top = q < 3 * self.T
            i = q // 3 if is_top else q - 2 * self.T
            strategy, F, CR, u = self.trial(i, q % 3 if is_top else None)
            f, phi, _, _ = self.evaluate(u)
            trials.append((strategy, F, CR, u, f, phi))
            if len(trials) < self.n + 2 * self.T:
                self.record()
        self.end(trials)
        self.begin()
        self.record()
        return True

    # --- one trial ------------------------------------------------------------------------------
    def trial(self, i, strategy):
        s, random, n = self.s, self.random, self.n
        is_bottom = strategy is None
        if is_bottom:
            drawn = random.uniform()
            strategy = sum(drawn >= share for share in self.shares)
        from_rand = False
        if is_bottom and strategy == PBEST and s.rand_to_pbest > 0:
            from_rand = random.uniform() < s.rand_to_pbest
        cell = random.below(s.memory_size)
        F = 0.0
        while F <= 0:
            F = self.M_F[strategy][cell] + s.F_cauchy * random.cauchy()
        F = min(F, 1.0)
        CR = 1.0
        if strategy != CURRENT:
            CR = min(max(self.M_CR[strategy][cell] + s.CR_sigma * random.normal(), 0.0), 1.0)
        point = [self.member[row][0] for row in self.order]
        x = point[i]
        if strategy == PBEST:
            size = math.floor(s.pbest_low + (s.pbest_high - s.pbest_low) * random.uniform() + 0.5)
            p = until(lambda: random.below(min(size, n)), (i,))
            a = self.donor((i, p), "a" in s.ranked) if from_rand else None
            b = self.donor((i, p, a), "b" in s.ranked_pbest)
            c = self.donor((i, p, a, b), "c" in s.ranked_pbest)
            base = point[a] if from_rand else x
            v = base + F * (point[p] - base) + F * (point[b] - point[c])
        else:
            a = self.donor((i,), "a" in s.ranked)
            b = self.donor((i, a), "b" in s.ranked)
            c = self.donor((i, a, b), "c" in s.ranked)
            base = point[a] if strategy == RAND else x
            v = base + F * (point[a] - base) + F * (point[b] - point[c])
        v = np.minimum(np.maximum(v, self.low), self.high)
        return strategy, F, CR, self.crossed(v, x, CR)

    def donor(self, taken, is_ranked):
        while True:
            r = until(lambda: self.random.below(self.n), taken)
            if not is_ranked or self.random.uniform() * self.n < self.n - r:
                return r

    def crossed(self, v, x, CR):
        if CR >= 1:
            return v
        u = x.copy()
        halves = []
        for j in range(self.d):
            if not halves:
                word = self.random.word()
                halves = [word >> 32, word & (2**32 - 1)]
            if halves.pop() / 2**32 < CR:
                u[j] = v[j]
        return u

    # --- the end of a generation ----------------------------------------------------------------
    def end(self, trials):
        tally = [[0, 0] for _ in range(3)]
        learned = [[], [], []]
        losers, n_wins = [], 0
        for i, row in enumerate(self.order):
            _, f_x, phi_x = self.member[row]
            if i < self.T:
                three = trials[3 * i : 3 * i + 3]
                for trial in three:
                    self.learn(learned, trial, f_x, phi_x)
                chosen = min(three, key=lambda trial: (trial[5], trial[4]))
                tally[chosen[0]][0] += 1
            else:
                chosen = trials[i + 2 * self.T]
            strategy, _, _, u, f, phi = chosen
            if self.wins(f, phi, f_x, phi_x):
                self.member[row] = (u, f, phi)
                tally[strategy][0] += 1
                self.idle[row] = 0
                n_wins += 1
            else:
                tally[strategy][1] += 1
                self.idle[row] += 1
                if phi < math.inf:
                    losers.append((u, f, phi))
        self.SR = n_wins / self.n
        self.update_memories(learned)
        self.order = self.sorted(self.order)
        self.keep_losers(losers)
        self.history.append(tally)
        self.revive()
        self.generation += 1

    def wins(self, f, phi, f_x, phi_x):
        if self.eps > 0 and phi <= self.eps and phi_x <= self.eps:
            return f < f_x
        return f < f_x if phi == phi_x else phi < phi_x

    def learn(self, learned, trial, f_x, phi_x):
        strategy, F, CR, _, f, phi = trial
        if phi_x > 0:
            weight = phi_x - phi if phi < phi_x else 0.0
        else:
            weight = f_x - f if phi == 0 and f < f_x else 0.0
        if 0 < weight < math.inf:
            learned[strategy].append((weight, F, CR))

    def update_memories(self, learned):
        for s, successes in enumerate(learned):
            if not successes:
                continue
            total = first = second = rate = 0.0
            for w, F, CR in successes:
                total += w
                first += w * F
                second += w * F * F
                rate += w * CR
            k = self.cursor[s]
            self.cursor[s] = (k + 1) % self.s.memory_size
            self.M_F[s][k] = min(second / first, 1.0)
            if s != CURRENT:
                self.M_CR[s][k] = min(rate / total, 1.0)

    def keep_losers(self, losers):
        rows = self.free[: len(losers)]
        for row, member in zip(rows, losers, strict=True):
            self.member[row] = member
        whole = self.sorted(self.archive + rows)
        self.archive = whole[: self.n]
        self.free = whole[self.n :] + self.free[len(losers) :]

    def revive(self):
        still = [row for row in self.order if self.idle[row] > self.s.stagnation]
        if len(still) <= self.s.stagnated_share * self.n or not self.archive:
            return
        points = np.array([self.member[row][0] for row in range(self.n)])
        if np.linalg.norm(points - points.mean(0), axis=1).mean() <= self.s.spread:
            return
        chosen = self.archive[self.random.below(len(self.archive))]
        self.member[still[0]] = self.member[chosen]
        self.idle[still[0]] = 0
        self.revived += 1
        self.order = self.sorted(self.order)
