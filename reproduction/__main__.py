"""Runs `python -m reproduction`."""

from homogcl import cli
from reproduction.command import app


def main() -> None:
    """Run the command line of the reproduction."""
    cli.main(app)


if __name__ == "__main__":
    main()
