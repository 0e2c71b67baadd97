"""JSON's grammar as patterns over bytes: what the scanner can take in one step (RFC 8259)."""

from __future__ import annotations

import re

_HEX2 = rb"[0-9a-fA-F]{2}"
_PAIR = rb"[dD][89abAB]" + _HEX2 + rb"\\u[dD][c-fC-F]" + _HEX2
_ESCAPE = rb'\\(?:["\\/bfnrt]|u(?:(?![dD][89a-fA-F])[0-9a-fA-F]{4}|' + _PAIR + rb"))"
_TEXT = rb'(?:[^"\\\x00-\x1f]++|' + _ESCAPE + rb")*+"
_SHORT = rb"{1,1000}+"  # a longer number is left to the scanner, which has a limit of its own
_WORDS = rb"|true|false|null)"
_SHORT_SCALAR = (
    rb"(?:-?(?:0|(?!0)[0-9]" + _SHORT + rb")(?:\.[0-9]" + _SHORT + rb")?(?:[eE][+-]?[0-9]" + _SHORT + rb")?" + _WORDS
)
_SPACE = rb"[ \t\r\n]*+"
_PLAIN = rb'(?:"' + _TEXT + rb'"|' + _SHORT_SCALAR + rb")" + _SPACE

SPACE = re.compile(_SPACE)
"""White space, possibly none."""

TEXT = re.compile(_TEXT)
"""Contents of a string up to its closing quote, a fault, or an escape that is cut off."""

LAX_TEXT = re.compile(rb'(?:[^"\\]++|\\.)*+', re.S)
"""The same, taking control characters and any escape."""

ESCAPE_START = re.compile(
    rb"\\(?:u(?:[0-9a-fA-F]{0,4}|[dD][89abAB]" + _HEX2 + rb"(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?))?"
)
"""An escape that more bytes could complete."""

SCALAR = re.compile(rb"(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?" + _WORDS)
"""A number, true, false or null."""

SCALAR_RUN = re.compile(rb"[^ \t\r\n,\]}:]*+")
"""What a scalar is taken to be: everything up to a delimiter (parser.md 4.6)."""

KEY = re.compile(rb'"(' + _TEXT + rb')"' + _SPACE + rb":" + _SPACE)
"""A key and its colon, where both are there whole."""

MEMBERS = re.compile(rb"(?:" + _SPACE + rb'"' + _TEXT + rb'"' + _SPACE + rb":" + _SPACE + _PLAIN + rb",)*+")
"""Object members that hold no containers, each with its comma."""

ELEMENTS = re.compile(rb"(?:" + _SPACE + _PLAIN + rb",)*+")
"""Array elements that are no containers, each with its comma."""
