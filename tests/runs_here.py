"""Campaigns in this process, for tests that are not about workers: those take 2 s to start."""

import contextlib

import pytest

from rdex.campaign.running import execute


class PoolHere:
    """A pool of the campaign that makes each run when its result is asked for."""

    running = 0

    def __init__(self):
        self._tasks = []

    def room(self, is_suspect):
        return not self._tasks

    def submit(self, task, is_suspect):
        self._tasks.append(task)

    def next(self, timeout):
        task = self._tasks.pop()
        return task, execute(task)

    @property
    def held(self):
        return len(self._tasks)

    def close(self):
        self._tasks.clear()


@contextlib.contextmanager
def runs_here():
    """Gives the list of the numbers of workers that campaigns ask for in it."""
    asked = []

    def pool(workers):
        asked.append(workers)
        return PoolHere()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rdex.campaign.campaign.LocalPool", pool)
        yield asked
