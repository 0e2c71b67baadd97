"""The command line: arguments in, calls to the pipeline, rendered answers out."""
