"""From bytes on disk to physical lines."""
