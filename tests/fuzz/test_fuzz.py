"""A short run of the fuzzer with seeds that are always the same; `make fuzz` runs longer."""

from __future__ import annotations

import pytest

from tests.fuzz.targets import run

pytestmark = pytest.mark.fuzz


@pytest.mark.parametrize("first", range(0, 3000, 500))
def test_no_exception_leaves_a_line_and_no_line_is_lost(first):
    for seed in range(first, first + 500):
        run(seed)
