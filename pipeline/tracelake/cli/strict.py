"""`StrictCommand`: refuses empty arguments before anything reads them as the current folder."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand


class StrictCommand(TyperCommand):
    """A command whose options and arguments are never an empty text."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments as typed. Raises BadParameter for an empty one.

        Once converted it is too late: an empty path and `.` are the same.
        """
        if not ctx.resilient_parsing:
            given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
            parameters: list[Any] = self.get_params(ctx)
            for parameter in parameters:
                value = given.get(parameter.name)
                if value == "" or (isinstance(value, list | tuple) and "" in value):
                    raise typer.BadParameter("it is empty", ctx=ctx, param=parameter)
        return super().parse_args(ctx, args)
