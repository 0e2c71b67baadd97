"""The steps of one run: what must be read, the tasks that read it, their results committed, and what is told of it."""
