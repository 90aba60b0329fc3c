"""A Postgres of the tests' own: started on a socket, as a user that is not root, and stopped."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NEEDED = "HOMOGCL_NEED_POSTGRES"  # set where the server must be there
PASSWORD = "hunter2-not-to-be-shown"


def programs() -> Path | None:
    """Return the folder of the server's programs, the newest version first."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    program = folders[0] if folders else shutil.which("initdb")
    return Path(program).parent if program else None


@contextmanager
def server() -> Iterator[str]:
    """Give the address of an empty database; its password is to be `PASSWORD`."""
    folder = programs()
    if folder is None:
        if os.environ.get(NEEDED):
            pytest.fail("Postgres is needed here and is not installed")
        pytest.skip("Postgres is not installed")
    # Names of sockets must be short.
    home = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    user = _user() if os.geteuid() == 0 else None
    if user is not None:
        os.chown(home, user.pw_uid, user.pw_gid)

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [str(folder / program), *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=home,
            user=None if user is None else user.pw_uid,
            group=None if user is None else user.pw_gid,
            extra_groups=None if user is None else [],
            env={"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(home)},
        )

    password = home / "password"
    password.write_text(PASSWORD + "\n")
    if user is not None:
        os.chown(password, user.pw_uid, user.pw_gid)
    data = str(home / "data")
    try:
        run("initdb", "-D", data, "-U", "reader", "-A", "md5", f"--pwfile={password}", "-N")
        options = f"-c listen_addresses= -c unix_socket_directories={home} -c fsync=off"
        run("pg_ctl", "-D", data, "-w", "-o", options, "-l", str(home / "log"), "start")
        try:
            yield f"postgres://reader@/postgres?host={home}"
        finally:
            run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _user() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("no user is there whom Postgres could run as")
