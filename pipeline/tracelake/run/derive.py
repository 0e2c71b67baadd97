"""What a snapshot holds beside the rows: prices of the models that occur, and which files are one conversation."""

from __future__ import annotations

import msgspec

from tracelake.lake.layout import LakePaths
from tracelake.lake.manifest import Manifest


def with_derived(paths: LakePaths, manifest: Manifest) -> Manifest:
    """Return the manifest with its computed tables brought up to date with its rows.

    Raises LakeWriteError or LakeError.
    """
    from tracelake.lake.conversations import refresh_conversations
    from tracelake.lake.prices import PriceTables
    from tracelake.pricing.genai import refresh

    tables = PriceTables(paths, manifest.derived)
    refresh(tables, sorted(manifest.models))
    return msgspec.structs.replace(manifest, derived={**tables.derived, **refresh_conversations(paths, manifest)})
