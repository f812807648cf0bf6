"""Models are found where programs keep them, and nothing is fetched."""

from pathlib import Path

import pytest

from player.transcribing.models import ctranslate2_model, ctranslate2_models, openai_models, whisper_cpp_models

_FILES = ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt")


def make_model(folder: Path, files: tuple[str, ...] = _FILES) -> Path:
    folder.mkdir(parents=True)
    for name in files:
        (folder / name).touch()
    return folder


@pytest.fixture
def hub(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HF_HOME", "HF_HUB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return own_home / ".cache" / "huggingface" / "hub"


@pytest.mark.parametrize(
    ("repository", "name"),
    [
        ("Systran/faster-whisper-tiny.en", "tiny.en"),
        ("Systran/faster-distil-whisper-small.en", "distil-small.en"),
        ("distil-whisper/distil-large-v3.5-ct2", "distil-large-v3.5"),
        ("mobiuslabsgmbh/faster-whisper-large-v3-turbo", "large-v3-turbo"),
        ("somebody/my-own", "my-own"),
    ],
)
def test_a_model_of_the_hub_is_found_by_both_its_names(hub: Path, repository: str, name: str) -> None:
    folder = make_model(hub / f"models--{repository.replace('/', '--')}" / "snapshots" / "abc")
    assert ctranslate2_models()[name] == folder
    assert ctranslate2_model(name) == ctranslate2_model(repository) == folder


def test_short_names_are_those_of_faster_whisper(hub: Path) -> None:
    folder = make_model(hub / "models--mobiuslabsgmbh--faster-whisper-large-v3-turbo" / "snapshots" / "abc")
    assert ctranslate2_model("turbo") == folder
    assert ctranslate2_model("large") is None


def test_the_hub_may_be_elsewhere(hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    folder = make_model(tmp_path / "hf" / "hub" / "models--a--b" / "snapshots" / "1")
    assert ctranslate2_model("b") == folder
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "nothing"))
    assert ctranslate2_model("b") is None


@pytest.mark.parametrize("missing", _FILES)
def test_a_model_that_would_have_to_be_fetched_in_part_is_none(hub: Path, missing: str) -> None:
    files = tuple(name for name in _FILES if name != missing)
    folder = make_model(hub / "models--a--b" / "snapshots" / "1", files)
    assert ctranslate2_model("b") is None
    assert ctranslate2_model(str(folder)) is None


def test_a_folder_and_an_installed_package_are_models(
    own_home: Path, hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = make_model(own_home / "models" / "mine")
    assert ctranslate2_model("~/models/mine") == ctranslate2_model(str(own)) == own
    packaged = make_model(tmp_path / "site-packages" / "some_models" / "model")
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    assert ctranslate2_model("some-models") == ctranslate2_model("some_models") == packaged
    assert ctranslate2_model("") == packaged, "without a name it is the first"
    assert ctranslate2_model("none") is None


def test_models_of_whisper_and_whisper_cpp_come_smallest_first(own_home: Path, hub: Path) -> None:
    sizes = {
        ".local/share/whisper.cpp/models/ggml-base.bin": 20,
        "models/ggml-tiny.en.bin": 10,
        "models/ggml-silero-v5.bin": 1,
        ".cache/whisper/small.pt": 30,
        ".cache/whisper/tiny.pt": 10,
    }
    for name, size in sizes.items():
        (own_home / name).parent.mkdir(parents=True, exist_ok=True)
        (own_home / name).write_bytes(bytes(size))
    assert [path.name for path in whisper_cpp_models() if path.is_relative_to(own_home)] == [
        "ggml-tiny.en.bin", "ggml-base.bin",
    ]  # fmt: skip
    assert [path.stem for path in openai_models()] == ["tiny", "small"]
