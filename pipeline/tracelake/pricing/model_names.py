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
        return [("aws", name)]
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
