"""Makes what a release consists of in build/release, checks all of it that can be checked on this machine, and says
what wasn't: `make release`. Nothing is uploaded.

Exits with 1 if a check failed. Needs `earmark[test,release]`.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "packaging")]

from player import __version__  # noqa: E402

RELEASE = ROOT / "build" / "release"
SDIST = RELEASE / f"earmark-{__version__}.tar.gz"
WHEEL = RELEASE / f"earmark-{__version__}-py3-none-any.whl"


class NotChecked(Exception):
    """Why something can't be checked here."""


class Failed(Exception):
    """What is wrong, in words for the maintainer."""


def run(*words: str | Path, **options: object) -> str:
    """What it prints. Raises Failed with that."""
    done = subprocess.run(  # type: ignore[call-overload]
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )
    if done.returncode:
        raise Failed(f"{words[0]} exited with {done.returncode}:\n{done.stdout[-3000:]}")
    return str(done.stdout)


def python(*words: str | Path) -> str:
    return run(sys.executable, *words, cwd=ROOT)


def needs(program: str, what: str = "") -> str:
    """Its path. Raises NotChecked."""
    found = shutil.which(program)
    if found is None:
        raise NotChecked(what or f"{program} isn't installed")
    return found


# -- the steps ------------------------------------------------------------------------------------------------


def source() -> str:
    """The version is that of changelog and pages; what is shipped and the page of licences are up to date."""
    python("-m", "pytest", "tests/test_packaging.py", "tests/test_licences.py", "tests/tui/cli/test_shipped.py")
    changed = run("git", "status", "--porcelain", cwd=ROOT) if (ROOT / ".git").exists() else ""
    return f"{__version__}{', with changes that are in no commit' if changed else ''}"


def archives() -> str:
    """The source archive, and the wheel that is built from it."""
    python("-m", "build", "--outdir", RELEASE, ROOT)
    return f"{SDIST.name}, {SDIST.stat().st_size >> 10} kB; {WHEEL.name}, {WHEEL.stat().st_size >> 10} kB"


def metadata() -> str:
    python("-m", "twine", "check", "--strict", SDIST, WHEEL)
    return "twine check --strict"


def contents() -> str:
    """The wheel has nothing but the two packages; the source archive all that git has."""
    python("-m", "check_wheel_contents", WHEEL)
    if not (ROOT / ".git").exists():
        return "check-wheel-contents"
    kept = set(run("git", "ls-files", cwd=ROOT).splitlines())
    with tarfile.open(SDIST) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    if missing := sorted(kept - names):
        raise Failed(f"not in the source archive: {', '.join(missing[:10])}")
    return f"check-wheel-contents; all {len(kept)} files of the repository in the source archive"


def installed() -> str:
    """The wheel in a fresh environment, with its dependencies from the package index: commands, and the first frame."""
    from first_frame import first_frame

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environ = {**os.environ, "EARMARK_HOME": f"{name}/home"}
        began = time.monotonic()
        run(sys.executable, "-m", "venv", folder / "venv")
        pip = (
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--constraint",
            ROOT / "constraints.txt",
        )
        run(folder / "venv" / "bin" / "python", *pip, WHEEL, cwd=name)
        took = time.monotonic() - began
        earmark = folder / "venv" / "bin" / "earmark"
        if run(earmark, "--version", env=environ, cwd=name).strip() != f"earmark {__version__}":
            raise Failed("another version is installed")
        checkup = subprocess.run(
            [earmark, "doctor"], env=environ, cwd=name, capture_output=True, text=True, check=False
        ).stdout
        if "libvlc" not in checkup:
            raise Failed(f"earmark doctor says:\n{checkup}")
        seconds = first_frame([str(earmark)], environ)
    return f"in {took:.0f} s; first frame after {seconds:.2f} s"


def recipes() -> str:
    """What builds packages elsewhere, with this version and its sums."""
    fields = {"VERSION": __version__, "SDIST_SHA256": sha256(SDIST), "WHEEL_SHA256": sha256(WHEEL)}
    for name in ("arch/PKGBUILD", "homebrew/earmark.rb"):
        text = (ROOT / "packaging" / name).read_text(encoding="utf-8")
        for field, value in fields.items():
            text = text.replace(f"@{field}@", value)
        if left := re.search("@[A-Z_0-9]+@", text):
            raise Failed(f"packaging/{name} has an unknown field {left.group()}")
        (RELEASE / Path(name).name).write_text(text, encoding="utf-8")
    return "PKGBUILD, earmark.rb"


def debian() -> str:
    """The Debian package for this release of Debian."""
    needs("dpkg-deb")
    release = Path("/etc/os-release").read_text() if Path("/etc/os-release").exists() else ""
    if not re.search(r"^ID=debian$", release, re.MULTILINE):
        raise NotChecked("this isn't Debian, to whose Python its environment is tied")
    made = Path(run(ROOT / "packaging" / "deb" / "build", WHEEL, RELEASE).splitlines()[-1])
    return f"{made.name}, {made.stat().st_size >> 20} MB"


def debian_in_a_tree() -> str:
    """That package, installed in a clean tree, run, and purged without a trace."""
    if os.geteuid() != 0:
        raise NotChecked("only root can make a tree of Debian")
    needs("debootstrap")
    packages = sorted(RELEASE.glob("*.deb"))
    if not packages:
        raise NotChecked("there is no package")
    release = re.search(r"^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(), re.MULTILINE)
    return "; ".join(
        python("packaging/check_deb.py", packages[-1], release[1] if release else "bookworm").strip().splitlines()[-4:]
    )


def arch() -> str:
    """Its form and its sums; the package itself is built on Arch."""
    run(needs("bash"), "-n", RELEASE / "PKGBUILD")
    needs("makepkg", "makepkg isn't installed; PKGBUILD is valid as a script of bash")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        for file in (RELEASE / "PKGBUILD", SDIST, WHEEL):
            shutil.copy(file, folder)
        nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if os.geteuid() == 0 else ()
        for what in ("--printsrcinfo", "--verifysource"):
            run(*nobody, "env", f"HOME={name}", "makepkg", "--nodeps", what, cwd=name)
    raise NotChecked("PKGBUILD and its sums are right for makepkg; the package is built on Arch")


def homebrew() -> str:
    if brew := shutil.which("brew"):
        run(brew, "style", RELEASE / "earmark.rb")
        return "brew style"
    run(needs("ruby", "neither brew nor ruby is installed"), "-c", RELEASE / "earmark.rb")
    raise NotChecked("earmark.rb is valid Ruby; brew isn't installed")


def nix() -> str:
    flake = ROOT / "packaging" / "nix" / "flake.nix"
    run(needs("nix-instantiate", "nix isn't installed"), "--parse", flake)
    raise NotChecked("flake.nix is valid Nix; it is built with: nix build 'path:.?dir=packaging/nix'")


def container() -> str:
    """Built only where CONTAINER_BASE names an image of Debian to build on, as that comes from elsewhere."""
    podman = needs("podman")
    base = os.environ.get("CONTAINER_BASE")
    if base is None:
        raise NotChecked("CONTAINER_BASE names no image of Debian to build on")
    run(
        podman,
        "build",
        "--build-arg",
        f"BASE={base}",
        "--tag",
        f"earmark:{__version__}",
        "-f",
        "packaging/Containerfile",
        ".",
        cwd=ROOT,
    )
    said = run(podman, "run", "--rm", f"earmark:{__version__}", "earmark", "--version")
    return said.strip()


def sums() -> str:
    files = sorted(file for file in RELEASE.iterdir() if file.name != "SHA256SUMS")
    lines = [f"{sha256(file)}  {file.name}\n" for file in files]
    (RELEASE / "SHA256SUMS").write_text("".join(lines))
    return f"SHA256SUMS of {len(files)} files"


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


STEPS: Sequence[Callable[[], str]] = (
    source, archives, metadata, contents, installed, recipes, debian, debian_in_a_tree, arch, homebrew, nix, container,
    sums,
)  # fmt: skip


def main() -> int:
    shutil.rmtree(RELEASE, ignore_errors=True)
    RELEASE.mkdir(parents=True)
    unchecked, failed = [], []
    for step in STEPS:
        name = step.__name__.replace("_", " ")
        print(f"{name:18}", end="", flush=True)
        try:
            print(step())
        except NotChecked as why:
            unchecked.append(f"{name}: {why}")
            print("not checked")
        except (Failed, AssertionError) as why:
            failed.append(name)
            print(f"FAILED\n{why}")
            if step is archives:
                break
    if unchecked:
        print("\nNot checked here:", *unchecked, sep="\n  ")
    print(f"\n{'Failed: ' + ', '.join(failed) + '.' if failed else 'All that was checked is right.'} In {RELEASE}:")
    print(*(f"  {file.name}" for file in sorted(RELEASE.iterdir())), sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
