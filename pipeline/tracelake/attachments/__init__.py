"""Blobs of transcripts -> files, read from where they stand."""
