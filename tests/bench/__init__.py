"""Speed, size and memory as one table of ratios: `make bench`, or `python -m tests.bench --help`."""
