"""The number of threads of linear algebra is put back."""

from rdex.models.threads import controller, one_thread


def counts():
    """Threads of each library."""
    return [library.num_threads for library in controller().select(user_api="blas").lib_controllers]


def test_one_thread_inside_and_as_before_outside():
    before = counts()
    assert before
    with one_thread():
        assert set(counts()) == {1}
    assert counts() == before
