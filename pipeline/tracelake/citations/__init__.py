"""Citations: which texts a claim can be grounded in, and which entry a quote names (transcript.md 6)."""
