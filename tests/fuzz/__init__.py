"""A mutating fuzzer over everything that reads a line: no exception leaves a line, no line is lost."""
