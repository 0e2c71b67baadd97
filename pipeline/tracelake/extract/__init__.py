"""The work of one task: one session's files -> one staged partition."""
