"""Images and documents -> rows of `attachments` (parser.md 4.8)."""

from __future__ import annotations

from tracelake.decode.content import Source
from tracelake.fold.blobs import decode_blob
from tracelake.fold.place import Place
from tracelake.tables.rows import AttachmentRow


def attachment_row(
    place: Place, index: int, ordinal: int | None, carrier: str, source: Source | None, filename: str | None
) -> AttachmentRow | None:
    """Return the row of a blob carried by the block `index` of a record; None when its data is no known blob."""
    blob = decode_blob(source, place.decoded.cuts)
    if blob is None:
        return None
    start, length = _locate(place, blob.text) if blob.text is not None else (None, None)
    return AttachmentRow(
        line_no=place.line.line_no,
        record_no=place.record_no,
        block_index=index,
        message_ordinal=ordinal,
        carrier=carrier,
        sha256=blob.sha256,
        bytes=blob.size,
        media_type=blob.media_type,
        filename=filename,
        byte_offset=start,
        byte_len=length,
        occurred_at=place.at,
    )


def _locate(place: Place, text: str) -> tuple[int | None, int | None]:
    """Return where the encoded value stands in the file; unknown when its source text is escaped."""
    cut = place.decoded.cuts.get(text)
    if cut is not None:
        return place.line.byte_offset + cut.offset, cut.source_bytes
    encoded, data = text.encode(), place.line.data
    start = data.find(encoded, place.searched) if data is not None else -1
    if start < 0:
        return None, None
    place.searched = start + len(encoded)
    return place.line.byte_offset + start, len(encoded)
