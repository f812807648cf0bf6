"""The speech recognition models that are on this disk, where programs keep them. Nothing is fetched."""

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_MOST = 20
"""The most models of a kind: a folder may have any number."""
_WHISPER_CPP = (
    "~/.local/share/whisper.cpp", "~/.local/share/whisper-cpp", "~/.cache/whisper.cpp", "~/.cache/whisper-cpp",
    "~/.cache/whisper", "~/.local/share/voxtype", "~/whisper.cpp", "~/src/whisper.cpp", "~/models", "~/models/whisper",
    "/usr/share/whisper.cpp", "/usr/share/whisper-cpp", "/usr/local/share/whisper.cpp", "/usr/local/share/whisper-cpp",
    "/opt/homebrew/share/whisper.cpp", "/opt/homebrew/share/whisper-cpp",
)  # fmt: skip
"""whisper.cpp has no place of its own: here, or in `models` below, packages and instructions put its models."""
_CTRANSLATE2 = ("model.bin", "config.json", "tokenizer.json")
"""The files of a model for faster-whisper, besides its vocabulary."""
_ALIASES = {"turbo": "large-v3-turbo", "large": "large-v3"}
_REPOSITORY = re.compile(r"models--.+--(?:faster-)?(?:whisper-)?(.+?)(?:-ct2)?")


def whisper_cpp_models() -> list[Path]:
    """The smallest first. Those that only find pauses aren't among them."""
    folders = [Path(place).expanduser() / inside for place in _WHISPER_CPP for inside in ("", "models")]
    return _by_size(path for folder in folders for path in folder.glob("ggml-*.bin") if "silero" not in path.name)


def openai_models() -> list[Path]:
    """Those of Whisper itself, the smallest first."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return _by_size((cache / "whisper").glob("*.pt"))


def ctranslate2_models() -> dict[str, Path]:
    """The folders of models for faster-whisper, by name: those in the cache of the Hugging Face Hub, and those in
    installed Python packages."""
    found: dict[str, Path] = {}
    for repository in sorted(_hub().glob("models--*")):
        if (named := _REPOSITORY.fullmatch(repository.name)) and (snapshot := _snapshot(repository)):
            found[named[1].replace("distil-whisper-", "distil-")] = snapshot
    for site in [Path(place) for place in sys.path if place.endswith("-packages")]:
        for file in (*site.glob("*/model.bin"), *site.glob("*/*/model.bin")):
            if is_ctranslate2(file.parent):
                found[file.relative_to(site).parts[0]] = file.parent
    return dict(list(found.items())[:_MOST])


def ctranslate2_model(name: str) -> Path | None:
    """The folder of a model for faster-whisper, by the path of that folder, its name, its name on the Hugging Face Hub
    (`Systran/faster-whisper-tiny`), or that of an installed Python package; for "" the first that is found. None if
    there is none."""
    folder = Path(name).expanduser()
    if folder.is_absolute():
        return folder if is_ctranslate2(folder) else None
    if "/" in name:
        return _snapshot(_hub() / f"models--{name.replace('/', '--')}")
    found = ctranslate2_models()
    if not name:
        return next(iter(found.values()), None)
    return found.get(_ALIASES.get(name, name)) or found.get(name.replace("-", "_"))


def is_ctranslate2(folder: Path) -> bool:
    """Whether all of its files are there, so that nothing is fetched."""
    return all((folder / name).is_file() for name in _CTRANSLATE2) and any(folder.glob("vocabulary.*"))


def _hub() -> Path:
    environ = os.environ
    cache = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = Path(environ.get("HF_HOME") or cache / "huggingface")
    return Path(environ.get("HF_HUB_CACHE") or home / "hub")


def _snapshot(repository: Path) -> Path | None:
    """A version of a repository in the cache of the Hugging Face Hub whose files are all there."""
    return next(filter(is_ctranslate2, sorted(repository.glob("snapshots/*"))), None)


def _by_size(paths: Iterable[Path]) -> list[Path]:
    found: dict[Path, int] = {}
    for path in paths:
        with suppress(OSError):
            found.setdefault(path, path.stat().st_size)
    return sorted(found, key=lambda path: found[path])[:_MOST]
