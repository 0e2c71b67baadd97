"""What a model string of a transcript says about who bills it; knows no prices."""

from __future__ import annotations

import re

_MARK = re.compile(r"\s*\[[^\]]*\]\s*$")
_DATE = re.compile(r"[-@](?:20\d{6}|20\d{2}-\d{2}-\d{2})$")
_BEDROCK_VENDOR = re.compile(
    r"(?:^|[./])(?:anthropic|amazon|meta|mistral|deepseek|openai|qwen|google|moonshotai|zai|nvidia|writer)\.[a-z]"
)
_OPENAI = re.compile(r"^(?:gpt-|chatgpt-|o[134](?:-|$)|codex-)")
_OWN_TARIFF = re.compile(r":\w+$|-fast$")

_BEDROCK_PLACE = re.compile(r"^(?:[a-z]+(?:-[a-z]+)*\.)?(?=[a-z]+\.[a-z])")
_BEDROCK_VERSION = re.compile(r"-v\d+(?::\d+\w*)?$")
_MAKER = re.compile(r"^(?:anthropic|openai|google|meta|mistral|deepseek|qwen|moonshotai|zai|amazon)\.")
_VERSION_MARK = re.compile(r"@(?:default|latest|\d{8})$")
_SWAPPED = re.compile(r"^claude-(\d+(?:-\d+)?)-(opus|sonnet|haiku|fable)$")
_DOT = re.compile(r"(?<=\d)\.(?=\d)")

UNKNOWN_REGIONS = ("us-gov.",)
"""Bedrock regions whose prices nobody here knows: never those of a neighbour."""
SYNTHETIC = "<synthetic>"
"""Model of messages that the client makes up itself."""


def plain_name(model: str) -> str:
    """Return a model string lower-cased and without a trailing mark such as `[1m]`."""
    return _MARK.sub("", model.strip()).lower()


def without_date(name: str) -> str:
    """Return a plain name without a date at its end."""
    return _DATE.sub("", name)


def billing_guesses(model: str) -> list[tuple[str | None, str]]:
    """Return who may bill a model string, and under which name, most likely first.

    Decided by the shape of the id, because the price package answers for another provider's ids too (google's for
    Bedrock's). A provider of None leaves it to the price package.
    """
    name = plain_name(model)
    if not name or name == SYNTHETIC:
        return []
    if _BEDROCK_VENDOR.search(name):
        # An ARN or a router's path in front names the same model.
        inner = name.rsplit("/", 1)[-1]
        return [] if inner.startswith(UNKNOWN_REGIONS) else [("aws", inner)]
    if name.startswith("openrouter/"):
        return [("openrouter", name.removeprefix("openrouter/"))]
    if "@" in name or "publishers/" in name:
        return [("google", name.rsplit("/", 1)[-1])]
    if "/" in name:
        return _routed(name)
    if name.startswith("claude"):
        return [("anthropic", name)]
    return [("openai", name)] if _OPENAI.match(name) else [(None, name)]


def _routed(name: str) -> list[tuple[str | None, str]]:
    """Return the guesses for `vendor/model`: the vendor's own price, except where the router has a tariff apart."""
    vendor, _, rest = name.partition("/")
    router: tuple[str | None, str] = ("openrouter", name)
    return [router] if _OWN_TARIFF.search(name) else [(vendor, rest), router]


def canonical_name(model: str) -> str:
    """Return the one name of a model, however a transcript spells it: without case, marks, wrappers, date, version.

    `CLAUDE-OPUS-5[1m]`, `anthropic/claude-opus-5`, `eu.anthropic.claude-opus-5-v1:0` and `claude-opus-5@20260724` are
    all `claude-opus-5`.
    """
    name = plain_name(model)
    if name == SYNTHETIC:
        return name
    name = name.rsplit("/", 1)[-1]
    if _BEDROCK_VENDOR.search(name):
        name = _MAKER.sub("", _BEDROCK_PLACE.sub("", _BEDROCK_VERSION.sub("", name)))
    name = without_date(_VERSION_MARK.sub("", name)).removesuffix("-latest")
    if name.startswith("claude"):
        name = _DOT.sub("-", name)
        swapped = _SWAPPED.match(name)
        # From version 4 on the family comes first.
        if swapped and int(swapped[1].split("-")[0]) >= 4:
            name = f"claude-{swapped[2]}-{swapped[1]}"
    return name or model
