"""Which files a patch touches, wherever it stands in a call's input."""

import pytest
from tracelake.fold.patches import patch_paths

PATCH = "*** Begin Patch\n*** Update File: a b.py\n*** Move to: c.py\n@@\n*** Add File: d.py\n*** Delete File: a b.py\n"
ESCAPED = PATCH.replace("\n", "\\n")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (PATCH, ["a b.py", "c.py", "d.py"]),
        (PATCH.replace("\n", "\r\n"), ["a b.py", "c.py", "d.py"]),
        (f'{{"input":"{ESCAPED}"}}', ["a b.py", "c.py", "d.py"]),
        (f'const p = "{ESCAPED}";\nrun(p)', ["a b.py", "c.py", "d.py"]),
        ("apply_patch <<'EOF'\n" + PATCH + "EOF", ["a b.py", "c.py", "d.py"]),
        ("*** Begin Patch\n*** Update File: C:\\new\\x.py\n", ["C:\\new\\x.py"]),
        ("*** Update File: a.py\n", None),
        ("*** Begin Patch\n*** End Patch", None),
        ("", None),
    ],
)
def test_paths(text, paths):
    assert patch_paths(text) == paths
