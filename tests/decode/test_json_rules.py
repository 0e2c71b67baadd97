"""The J rules, with the specification's examples and values worked out by hand."""

import pytest
from tracelake.decode.json_rules import INT64_MAX, bool_of, int_of, str_of, timestamp_us


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'"a\\u00e9"', "aé"),
        (b"1", "1"),
        (b"-2.50", "-2.50"),
        (b"true", "true"),
        (b"null", None),
        (b'{"a": 1}', '{"a": 1}'),
        (b"[1, 2]", "[1, 2]"),
    ],
)
def test_j4_text(raw, text):
    assert str_of(raw) == text


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        (b'"7"', 7),
        (b"2.9", 2),
        (b"-2.9", -2),
        (b'"x"', 0),
        (b'"2.9"', 0),
        (b"true", 1),
        (b"false", 0),
        (b"null", None),
        (b"{}", 0),
        (b"1e3", 1000),
        (b"1" * 30, INT64_MAX),
        (b"-" + b"1" * 30, -INT64_MAX),
        (b"1e999", 0),
    ],
)
def test_j5_numbers(raw, number):
    assert int_of(raw) == number


@pytest.mark.parametrize(
    ("raw", "flag"),
    [
        (b"true", True),
        (b"false", False),
        (b'"true"', True),
        (b'"TRUE"', True),
        (b'"t"', True),
        (b'"1"', True),
        (b'"yes"', False),
        (b"0", False),
        (b"0.5", True),
        (b"null", None),
        (b"[]", False),
    ],
)
def test_j6_flags(raw, flag):
    assert bool_of(raw) is flag


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-02T00:00:01.5Z", 86_401_500_000),
        ("1970-01-01T02:00:00+02:00", 0),
        ("1969-12-31T19:00:00.000001-05:00", 1),
        ("2000-02-29T12:00:00Z", 951_825_600_000_000),
        ("1970-01-01T00:00:00.1234567Z", 123_456),
        ("1970-01-01", None),
        ("1970-01-01T00:00:00", None),
        ("1970-01-01 00:00:00Z", None),
        ("1970-02-30T00:00:00Z", None),
        ("1970-01-01T24:00:00Z", None),
        ("1970-01-01T00:00:00+24:00", None),
        ("bogus", None),
        ("", None),
        (None, None),
    ],
)
def test_j9_times(text, us):
    assert timestamp_us(text) == us
