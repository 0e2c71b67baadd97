"""C-7, T-6 apart: the table of the specification, wordings, answers as data."""

import json

import pytest
from tracelake.citations.answers import SEED_VERSION, Envelope, answer_data, envelope_of, wordings

TABLE = [
    (
        'The user answered: "Pick a port?"="8081", "Which days?"="Mon, Wed, Fri", "Anything else?"="use the "blue" '
        'theme". Read the answers carefully.',
        ["8081", "Mon, Wed, Fri", 'use the "blue" theme'],
    ),
    (
        'Your questions have been answered: "Ship now?"="no, after the demo". You can now continue with these answers '
        "in mind.",
        ["no, after the demo"],
    ),
    ('The user answered: "Q?"="cut of', ["cut of"]),
    ('The user answered: "A?"="x", "y", "B?"="z". Read the answers', ["x", "z"]),
    ('The user answered: "A?"="x", "y" and z". Read the answers', ['x", "y" and z']),
    ('The user answered: "A?"="". Read the answers', [""]),
    ('The user answered: "A?"="see. Read the answers file", "B?"="ok". Read the answers', ["see"]),
    ("log: The user answered: nothing", []),
]


@pytest.mark.parametrize(("body", "answers"), TABLE)
def test_the_seed_s_wordings(body: str, answers: list[str]):
    assert envelope_of(body, SEED_VERSION) == Envelope(1, answers)
    assert envelope_of(body) == Envelope(1, answers)


def test_no_wording_is_no_envelope():
    assert envelope_of("all good") is None
    assert envelope_of('User answered: "Q"="A"') is None


def test_a_later_wording_is_known_by_its_version():
    body = 'User has answered your questions: "Q?"="A". You can now continue with the user\'s answers in mind.'
    assert envelope_of(body) == Envelope(2, ["A"])
    assert envelope_of(body, SEED_VERSION) is None


def test_wordings_in_the_order_they_are_tried():
    assert wordings(SEED_VERSION).prefixes == (("The user answered:", 1), ("Your questions have been answered:", 1))
    assert wordings(SEED_VERSION).trailers == (
        ". Read the answers",
        ". You can now continue with these answers",
    )


def test_answers_as_data():
    raw = json.dumps(
        {
            "questions": [],
            "answers": {"A?": "x", "B?": ["y", "z"], "C?": 3},
            "annotations": {"A?": {"notes": "n"}, "B?": {}},
        }
    )
    assert answer_data(raw.encode(), []) == (["x", "y", "z"], ["n"])


@pytest.mark.parametrize("raw", [b"", b'"answers"', b'{"answers":{}}', b'{"answers":[1]}', b'{"x":"answers"}', b"null"])
def test_no_answers_as_data(raw: bytes):
    assert answer_data(raw, []) is None
