"""Trees of made-up transcripts of any shape and size: the same arguments write the same bytes.

`python -m tests.generate --help` says how to call it. `tests/generated_tree.py` makes small trees that know what they
cost; these know nothing, but they are large, quick to write, and look like transcripts.
"""

from tests.generate.shapes import SHAPES, Written, write_tree

__all__ = ["SHAPES", "Written", "write_tree"]
