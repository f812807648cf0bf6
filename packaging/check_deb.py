"""Installs the Debian package in a clean tree of Debian, runs it there as a user to its first frame, purges it, and
compares the files: `python packaging/check_deb.py PACKAGE [SUITE]`, as root.

Exits with 0 if the same files are there as before. Needs debootstrap, a mirror of Debian that apt is set up for, and
`earmark[test]`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from first_frame import first_frame

USER = 1000
_OF_THE_SYSTEM = (
    "dev", "home", "proc", "root", "run", "sys", "tmp", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log",
)  # fmt: skip
"""Where dpkg and apt keep their accounts, and what isn't files of a package."""


_QUIET = ("-qq", "-o", "Dpkg::Use-Pty=0")


class Tree:
    """A system of its own, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str, user: int = 0, check: bool = True) -> str:
        """What the command prints. Raises CalledProcessError."""
        done = subprocess.run(
            self.command(*words, user=user), env=ENVIRON, stdout=subprocess.PIPE, text=True, check=check
        )
        return done.stdout

    def install(self, *packages: str) -> None:
        self.run("apt-get", *_QUIET, "install", "--no-install-recommends", *packages)

    def command(self, *words: str, user: int = 0) -> list[str]:
        return ["chroot", f"--userspec={user}:{user}", str(self.folder), *words]

    def files(self) -> set[str]:
        """Every file and folder but those of the system's accounts."""
        found = set()
        for folder, folders, files in os.walk(self.folder):
            below = os.path.relpath(folder, self.folder)
            folders[:] = [one for one in folders if os.path.normpath(f"{below}/{one}") not in _OF_THE_SYSTEM]
            found.update(os.path.normpath(f"{below}/{one}") for one in (*folders, *files))
        return found


ENVIRON = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/tmp",
    "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
}


def mirror() -> str:
    """The address of Debian's packages that this machine's apt uses."""
    files = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]
    texts = [file.read_text() for file in files if file.is_file()]
    found = re.search(r"https?://\S+/debian/?(?=\s)", "\n".join(texts))
    if not found:
        raise SystemExit("apt on this machine has no mirror of Debian.")
    return found.group()


@contextmanager
def clean_tree(suite: str) -> Iterator[Tree]:
    """The smallest Debian of that release, with /proc, gone at the end."""
    with tempfile.TemporaryDirectory(prefix="earmark-tree-") as name, ExitStack() as mounts:
        folder = Path(name)
        folder.chmod(0o755)
        subprocess.run(
            ["debootstrap", "--variant=minbase", suite, name, mirror()], check=True, stdout=subprocess.DEVNULL
        )
        shutil.copy("/etc/resolv.conf", folder / "etc" / "resolv.conf")
        # Not the machine's own: what is mounted here must be safe to be deleted.
        subprocess.run(["mount", "-t", "proc", "proc", f"{name}/proc"], check=True)
        mounts.callback(subprocess.run, ["umount", f"{name}/proc"], check=True)
        yield Tree(folder)


def check(package: Path, suite: str) -> None:
    """Raises AssertionError if something of it stays, and CalledProcessError if it can't be installed or removed."""
    with clean_tree(suite) as tree:
        shutil.copy(package, tree.folder / "tmp" / package.name)
        tree.run("apt-get", "update", "-qq")
        began = time.monotonic()
        needed = tree.run("dpkg-deb", "--field", f"/tmp/{package.name}", "Depends").strip().split(", ")
        tree.install(*needed)
        before = tree.files()
        tree.install(f"/tmp/{package.name}")
        print(f"installed in {time.monotonic() - began:.0f} s")

        environ = {**ENVIRON, "EARMARK_HOME": "/tmp/earmark"}
        for start in ("first", "second"):
            print(f"{start} start: {first_frame(tree.command('earmark', user=USER), environ):.2f} s to the first frame")
        print(tree.run("env", "EARMARK_HOME=/tmp/earmark", "earmark", "--version", user=USER).strip())
        assert "libvlc" in tree.run("env", "EARMARK_HOME=/tmp/earmark", "earmark", "doctor", user=USER, check=False)
        installed = tree.files()
        listed = {line.strip("/") for line in tree.run("dpkg", "--listfiles", "earmark").splitlines()}
        foreign = {file for file in listed if "earmark" not in file and (tree.folder / file).is_file()}
        assert not foreign, f"files that another package may have: {sorted(foreign)[:20]}"
        unowned = installed - before - listed
        assert not unowned, f"written beside its own files: {sorted(unowned)[:20]}"

        tree.run("apt-get", *_QUIET, "purge", "earmark")
        after = tree.files()
        assert after == before, f"left: {sorted(after - before)[:20]}; gone: {sorted(before - after)[:20]}"
        print(f"purged: the same {len(before)} files as before")


def main() -> None:
    if not sys.argv[1:]:
        raise SystemExit(__doc__)
    check(Path(sys.argv[1]), sys.argv[2] if sys.argv[2:] else "bookworm")


if __name__ == "__main__":
    main()
