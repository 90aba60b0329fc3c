"""Lets `python -m homogcl` do what the command `homogcl` does."""

from homogcl.cli import main

if __name__ == "__main__":
    main()
