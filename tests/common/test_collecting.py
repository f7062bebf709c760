"""The collector of reference cycles is paused in our own programs, and goes on afterwards."""

import gc

import pytest

from rdex.common.collecting import no_collecting


@pytest.fixture(autouse=True)
def as_before():
    yield
    gc.unfreeze()
    gc.enable()


def test_it_is_paused_and_goes_on_without_what_was_made_meanwhile():
    before = gc.get_freeze_count()
    with pytest.raises(KeyError), no_collecting():
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()
    assert gc.get_freeze_count() > before


def test_it_stays_off_where_it_was_off():
    gc.disable()
    with no_collecting():
        pass
    assert not gc.isenabled()
