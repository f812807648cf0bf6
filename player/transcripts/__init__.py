"""Parses transcripts: VTT, SRT, JSON, HTML and plain text as feeds and programs write them, all into a `Transcript`."""

from player.transcripts.parse import read_transcript
from player.transcripts.sentences import sentence_at, sentences

__all__ = ["read_transcript", "sentence_at", "sentences"]
