"""A command line in this process."""

from collections.abc import Callable

import pytest

from homogcl import cli

# Settings under which a training takes a moment.
FAST = ("--set", "epochs=2", "--set", "hidden_dim=16", "--set", "out_dim=8")


class Shell:
    """Runs `homogcl`, or another command line, in this process and keeps what it printed."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        main: Callable[[], None] = cli.main,
    ) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self._main = main
        self.err = ""

    def __call__(self, *arguments: object, code: int = 0) -> str:
        self._monkeypatch.setattr("sys.argv", ["homogcl", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            self._main()
        printed = self._capsys.readouterr()
        self.err = printed.err
        assert left.value.code == code, printed
        return printed.out

    def refuses(self, *arguments: object) -> str:
        """Run what must fail: exit code 2, nothing on the output, one line of error."""
        assert self(*arguments, code=2) == ""
        (line,) = self.err.splitlines()
        assert line.startswith("error: ")
        return line
