"""C-1, C-2."""

import pytest
from tracelake.citations.normal import contains, fold_spaces, unnumber
from tracelake.decode.split import GO_SPACE


def test_a_run_of_white_space_is_one_blank():
    assert contains("first\nsecond line\nthird", "second line  third")
    assert not contains("first\nsecond line", "Second line")
    assert not contains("first, second", "first second")
    assert contains("unable", "able")


def test_unit_separators_are_no_space():
    assert not contains("a\x1cb", "a b")
    assert contains("a\x1cb", "a\x1cb")
    assert fold_spaces("a \x1c  b\x1f ") == "a \x1c b\x1f"


@pytest.mark.parametrize("space", GO_SPACE)
def test_every_go_space_folds(space: str):
    assert fold_spaces(f"{space}a{space}{space}b{space}") == "a b"


def test_the_set_is_go_s():
    codes = {*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
    assert set(map(ord, GO_SPACE)) == codes
    assert fold_spaces("a\u200bb \ufeff") == "a\u200bb \ufeff"


@pytest.mark.parametrize("quote", ["", " ", "\n\t\u2028"])
def test_white_space_alone_is_nowhere(quote: str):
    assert not contains("a b", quote)


def test_line_numbers_of_read():
    body = "     7\tfoo bar\n     8\tbaz"
    assert not contains(body, "bar baz")
    assert contains(body, "bar baz", numbered=True)
    assert contains(body, "7 foo", numbered=True)
    assert unnumber("x 1\ty\n2\tz") == "x 1\ty\nz"
    assert unnumber("\u0661\ty") == "\u0661\ty"
