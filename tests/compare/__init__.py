"""All rows of two lakes, compared column by column: what a change of the code changes in the answers.

`python -m tests.compare --help` says how to call it; CONTRIBUTING.md says when.
"""
