"""A program that makes transcripts, well or badly: `odd_program.py WHAT AUDIO OUT LANGUAGE THREADS`."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

WHISPER_CPP = {
    "result": {"language": "de"},
    "transcription": [
        {
            "offsets": {"from": 500, "to": 2000},
            "text": " Guten Tag.",
            "tokens": [
                {"text": " Guten", "offsets": {"from": 500, "to": 900}},
                {"text": " Tag", "offsets": {"from": 900, "to": 1400}},
                {"text": ".", "offsets": {"from": 1400, "to": 2000}},
            ],
        }
    ],
}
SRT = "1\n00:00:01,000 --> 00:00:02,500\nGood day.\n"
VTT = "WEBVTT\n\n00:01.000 --> 00:02.500\nGood day.\n"


def main(what: str, audio: str, out: str, language: str, threads: str) -> None:
    here = Path.cwd()
    match what:
        case "json":
            Path(f"{out}.json").write_text(json.dumps(WHISPER_CPP), encoding="utf-8")
        case "vtt":
            Path(f"{out}.vtt").write_text(VTT, encoding="utf-8")
        case "srt":
            Path(f"{out}.srt").write_text(SRT, encoding="utf-8")
        case "without ending":
            Path(out).write_text(SRT, encoding="utf-8")
        case "txt":
            Path(f"{out}.txt").write_text("Good day.\n", encoding="utf-8")
        case "in a folder":
            Path(out).mkdir()
            for name, text in (("clip.tsv", "start\tend\ttext\n"), ("clip.txt", "Good day.\n"), ("clip.vtt", VTT)):
                (Path(out) / name).write_text(text, encoding="utf-8")
        case "printed":
            print("\n[00:00:01.000 --> 00:00:02.500]   Good day.\n")
        case "arguments":
            told = f"{Path(audio).name} {language} {threads} nice {os.nice(0)} read {len(sys.stdin.read())}"
            print(told, "inside" if here == Path(out).parent and here.name.startswith("earmark-") else here)
        case "silence":
            Path(f"{out}.vtt").write_text("WEBVTT\n\n", encoding="utf-8")
        case "an empty file":
            Path(f"{out}.srt").touch()
        case "blank audio":
            print("[00:00:00.000 --> 00:00:30.000]   [BLANK_AUDIO]")
        case "nothing":
            pass
        case "garbage":
            Path(f"{out}.json").write_bytes(bytes(range(256)) * 100)
        case "a web page":
            print("<!DOCTYPE html><html><body>Sign in</body></html>")
        case "half of it":
            Path(f"{out}.json").write_text(json.dumps(WHISPER_CPP)[:-40], encoding="utf-8")
        case "control characters":
            print("[00:01.000 --> 00:02.000] \x1b[31mGood\x07 \u202eday.\r")
        case "a pipe":
            os.mkfifo(f"{out}.json")
        case "far too much":
            with Path(f"{out}.txt").open("wb") as file:
                file.truncate(1 << 34)
        case "failure":
            sys.stderr.write("loading ...\n\x1b[31merror: no such model\x1b[0m\n\n")
            sys.exit(3)
        case "a crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hanging":
            Path(os.environ["ODD_PID"]).with_suffix(".new").write_text(str(os.getpid()), encoding="ascii")
            Path(os.environ["ODD_PID"]).with_suffix(".new").rename(os.environ["ODD_PID"])
            time.sleep(3600)
        case "grandchildren":
            words = [sys.executable, __file__, "hanging", audio, out, language, threads]
            subprocess.run(["sh", "-c", '"$@" & wait', "sh", *words])
        case "printing without end":
            _pour(1)
        case "complaining without end":
            _pour(2)
        case "filling the disk":
            for number in range(1 << 20):
                (here / str(number)).write_bytes(bytes(1 << 20))
                time.sleep(0.005)
        case "making files without end":
            for number in range(1 << 30):
                (here / str(number)).touch()


def _pour(handle: int) -> None:
    while True:
        os.write(handle, b"and so on " * 6000)


if __name__ == "__main__":
    main(*sys.argv[1:])
