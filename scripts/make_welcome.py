"""Makes player/welcome/ (feed, cover, speech, chapters, transcripts) from the texts in scripts/welcome/.

Needs opusenc (opus-tools) and hibari (`pip install hibari-tts==0.2.1`), whose wheel contains its voice. Each line is
spoken by itself, so chapters and transcripts are true to the sample; silence at the end makes every episode a whole
number of seconds.
"""

from __future__ import annotations

import array
import json
import math
import subprocess
import tempfile
import tomllib
import uuid
import wave
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from PIL import Image, ImageDraw

TEXTS = Path(__file__).parent / "welcome"
TARGET = Path(__file__).parent.parent / "player" / "welcome"
URL = "earmark:welcome"
PODCAST_GUIDS = uuid.UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")
RATE = 24000
BITRATE_KBPS = 20
LINE_GAP_S, CHAPTER_GAP_S = 0.45, 0.5
CHIMES = {"start": (523.25, 659.26, 783.99), "chapter": (659.26,)}


@dataclass(frozen=True)
class Cue:
    start_s: float
    end_s: float
    text: str


@dataclass(frozen=True)
class Spoken:
    samples: array.array[int]
    cues: list[Cue]
    chapters: list[tuple[float, str]]

    @property
    def seconds(self) -> int:
        return len(self.samples) // RATE


def main() -> None:
    show = tomllib.loads((TEXTS / "show.toml").read_text(encoding="utf-8"))
    for old in TARGET.iterdir():
        if old.suffix in (".opus", ".json", ".vtt", ".xml", ".png"):
            old.unlink()
    items = [make_episode(number, path, show) for number, path in enumerate(sorted(TEXTS.glob("[0-9]*.toml")), 1)]
    (TARGET / "feed.xml").write_text(feed(show, items), encoding="utf-8")
    (TARGET / "cover.png").write_bytes(cover())


def make_episode(number: int, path: Path, show: dict[str, Any]) -> str:
    """Writes the episode's files; returns its item of the feed."""
    text = tomllib.loads(path.read_text(encoding="utf-8"))
    spoken = speak(text)
    opus = encode(spoken, number, text, show)
    (TARGET / f"{path.stem}.opus").write_bytes(opus)
    (TARGET / f"{path.stem}.chapters.json").write_text(chapters_json(spoken, text["title"]), encoding="utf-8")
    (TARGET / f"{path.stem}.vtt").write_text(vtt(spoken), encoding="utf-8")
    print(f"{path.stem}: {spoken.seconds} s, {len(opus)} bytes")
    return item(number, path.stem, text, spoken, len(opus))


# -- speech -----------------------------------------------------------------------------------------------------


def speak(text: dict[str, Any]) -> Spoken:
    samples = array.array("h")
    cues: list[Cue] = []
    chapters: list[tuple[float, str]] = []
    for index, chapter in enumerate(text["chapters"]):
        chapters.append((round(len(samples) / RATE, 1), chapter["title"]))
        samples.extend(chime(CHIMES["chapter" if index else "start"]))
        for line in chapter["lines"]:
            start = len(samples) / RATE
            samples.extend(say(line.get("say", line["text"])))
            cues.append(Cue(start, len(samples) / RATE, line["text"]))
            samples.extend(silence(LINE_GAP_S))
        samples.extend(silence(CHAPTER_GAP_S))
    samples.extend(array.array("h", bytes(2 * (-len(samples) % RATE))))
    return Spoken(samples, cues, chapters)


def say(text: str) -> array.array[int]:
    """One line, its silence cut off at both ends, as loud as all others."""
    with tempfile.TemporaryDirectory() as folder:
        wav = str(Path(folder) / "line.wav")
        subprocess.run(["hibari", text, "--seed", "0", "-o", wav], check=True, stdout=subprocess.DEVNULL)
        with wave.open(wav) as spoken:
            assert spoken.getframerate() == RATE
            samples = array.array("h", spoken.readframes(spoken.getnframes()))
    loud = [index for index, sample in enumerate(samples) if abs(sample) > 200]
    samples = samples[max(0, loud[0] - 400) : loud[-1] + 1200]
    gain = 0.71 * 32767 / max(abs(sample) for sample in samples)
    return array.array("h", (int(sample * gain) for sample in samples))


def chime(tones: tuple[float, ...]) -> array.array[int]:
    """Soft bell tones, each a quarter of a second after the other."""
    step, length = RATE // 5, int(RATE * (0.75 + 0.2 * len(tones)))
    out = [0.0] * length
    for index, tone in enumerate(tones):
        for at in range(length - index * step):
            second = at / RATE
            attack = min(1.0, second / 0.008)
            bell = math.sin(math.tau * tone * second) + 0.25 * math.sin(math.tau * 2 * tone * second)
            out[index * step + at] += 3400 * attack * math.exp(-6 * second) * bell
    return array.array("h", (int(value) for value in out))


def silence(seconds: float) -> array.array[int]:
    return array.array("h", bytes(2 * int(RATE * seconds)))


def encode(spoken: Spoken, number: int, text: dict[str, Any], show: dict[str, Any]) -> bytes:
    plain = BytesIO()
    with wave.open(plain, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(spoken.samples.tobytes())
    tags = {"title": text["title"], "artist": show["author"], "album": show["title"], "genre": "Podcast"}
    marks = [
        f"--comment=CHAPTER{index:03}{part}"
        for index, (start, title) in enumerate(spoken.chapters)
        for part in (f"={timestamp(start)}", f"NAME={title}")
    ]
    with tempfile.TemporaryDirectory() as folder:
        wav, opus = Path(folder) / "speech.wav", Path(folder) / "speech.opus"
        wav.write_bytes(plain.getvalue())
        subprocess.run(
            ["opusenc", "--quiet", "--speech", "--bitrate", str(BITRATE_KBPS), "--framesize", "40", "--padding", "0",
             "--serial", str(number), "--tracknumber", str(number), *marks,
             *(f"--{name}={value}" for name, value in tags.items()), str(wav), str(opus)],
            check=True,
        )  # fmt: skip
        return opus.read_bytes()


# -- cover ------------------------------------------------------------------------------------------------------


def cover() -> bytes:
    """A page with a dog-ear and the bars of a voice, as a PNG: so large that even 6 by 3 cells show them."""
    side, grain = 384, 4
    image = Image.new("RGB", (side * grain, side * grain), "#16324a")
    pen = ImageDraw.Draw(image)

    def placed(*parts: float) -> list[float]:
        return [part * side * grain for part in parts]

    pen.polygon(placed(0.58, 0, 1, 0, 1, 0.42), fill="#fdf3dc")
    pen.polygon(placed(0.58, 0, 0.58, 0.42, 1, 0.42), fill="#f2a33a")
    for left, top, bottom, colour in (
        (0.11, 0.52, 0.76, "#fdf3dc"), (0.33, 0.3, 0.94, "#e2562f"), (0.55, 0.49, 0.79, "#fdf3dc"),
        (0.77, 0.56, 0.72, "#fdf3dc"),
    ):  # fmt: skip
        pen.rounded_rectangle(placed(left, top, left + 0.12, bottom), *placed(0.06), fill=colour)
    small = image.resize((side, side), Image.Resampling.LANCZOS).quantize(48, dither=Image.Dither.NONE)
    png = BytesIO()
    small.save(png, "PNG", optimize=True)
    return png.getvalue()


# -- texts ------------------------------------------------------------------------------------------------------


def chapters_json(spoken: Spoken, title: str) -> str:
    """JSON chapters 1.2.0 of the podcast namespace."""
    chapters = [{"startTime": start, "title": name} for start, name in spoken.chapters]
    return json.dumps({"version": "1.2.0", "title": title, "chapters": chapters}, indent=1) + "\n"


def vtt(spoken: Spoken) -> str:
    """WebVTT."""
    cues = [f"{timestamp(cue.start_s)} --> {timestamp(cue.end_s)}\n<v Earmark>{cue.text}\n" for cue in spoken.cues]
    return "WEBVTT\nLanguage: en\n\n" + "\n".join(cues)


def timestamp(seconds: float) -> str:
    whole = round(seconds * 1000)
    return f"{whole // 3600000:02}:{whole // 60000 % 60:02}:{whole // 1000 % 60:02}.{whole % 1000:03}"


def item(number: int, stem: str, text: dict[str, Any], spoken: Spoken, size: int) -> str:
    notes = text["notes"].strip()
    for index, (start, _) in enumerate(spoken.chapters):
        notes = notes.replace(f"{{time:{index}}}", f"{int(start) // 60}:{int(start) % 60:02}")
    published: datetime = text["published"]
    return f"""\
  <item>
   <title>{escape(text["title"])}</title>
   <guid isPermaLink="false">{URL}/{number}</guid>
   <pubDate>{format_datetime(published)}</pubDate>
   <description>{escape(text["summary"])}</description>
   <content:encoded><![CDATA[{notes}]]></content:encoded>
   <enclosure url={quoteattr(f"{URL}/{stem}.opus")} length="{size}" type="audio/ogg"/>
   <itunes:duration>{spoken.seconds}</itunes:duration>
   <itunes:episode>{number}</itunes:episode>
   <itunes:explicit>false</itunes:explicit>
   <podcast:chapters url={quoteattr(f"{URL}/{stem}.chapters.json")} type="application/json+chapters"/>
   <podcast:transcript url={quoteattr(f"{URL}/{stem}.vtt")} type="text/vtt" language="en" rel="captions"/>
  </item>
"""


def feed(show: dict[str, Any], items: list[str]) -> str:
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:podcast="https://podcastindex.org/namespace/1.0">
 <channel>
  <title>{escape(show["title"])}</title>
  <description>{escape(show["description"])}</description>
  <language>en</language>
  <copyright>{escape(show["copyright"])}</copyright>
  <itunes:author>{escape(show["author"])}</itunes:author>
  <itunes:image href="{URL}/cover.png"/>
  <itunes:category text="Education"/>
  <itunes:explicit>false</itunes:explicit>
  <itunes:type>serial</itunes:type>
  <podcast:guid>{uuid.uuid5(PODCAST_GUIDS, URL)}</podcast:guid>
{"".join(items)} </channel>
</rss>
"""


if __name__ == "__main__":
    main()
