"""A program that summarises a transcript, well or badly: `odd_summariser.py WHAT`."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

CHAPTERS = [{"startTime": 0, "title": "Hello"}, {"startTime": "0:20", "title": "The pass"}]
ANSWERS = {
    "markdown": "**Two** people talk about passes.\n\n- It fuses at 0:20.\n",
    "json": json.dumps({"version": "1.2.0", "chapters": CHAPTERS}),
    "both": json.dumps({"summary": "Both.", "chapters": CHAPTERS}),
    "fenced": f"<think>\nHm.\n</think>\n\n```json\n{json.dumps(CHAPTERS)}\n```\n",
    "coloured": "\x1b[31mRed\x1b[0m\a and \x1b]0;title\a\x00plain.",
    "blank": " \n\t\n",
    "page": "<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>",
    "broken json": '{"chapters": [{"startTime": 1',
    "no chapters": '{"chapters": []}',
    "out of order": json.dumps(CHAPTERS[::-1]),
    "beyond the end": json.dumps([*CHAPTERS, {"startTime": 3600, "title": "Later"}]),
    "too long": "word " * 20_000,
}


def main(what: str) -> None:
    given = sys.stdin.read()
    match what:
        case "given":
            print(given)
        case "endless":
            while True:
                print("again and again", flush=True)
        case "binary":
            sys.stdout.buffer.write(bytes(range(128, 256)) * 100)
        case "fails":
            print("Loading\nno model qwen2.5", file=sys.stderr)
            sys.exit(3)
        case "dies":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hangs":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
            Path(os.environ["ODD_PID"]).write_text(f"{os.getpid()} {child.pid}")
            time.sleep(1000)
        case _:
            print(ANSWERS[what])


if __name__ == "__main__":
    main(sys.argv[1])
