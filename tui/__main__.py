"""`python -m tui` is `earmark`."""

from tui.cli.main import process

if __name__ == "__main__":
    process()
