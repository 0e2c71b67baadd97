"""`python -m pipeline` is the same program as `tracelake`."""

from pipeline.cli.main import run

if __name__ == "__main__":
    run()
