"""Show notes: the HTML, Markdown or plain text of a feed, parsed into blocks and spans that a terminal can show.

`read_notes` never raises and takes time linear in the length. `parse` and `building` read the markup; `mending`
restores structure that was lost on the way into the feed (lists, paragraphs, links, unrendered Markdown).
"""

from player.notes.blocks import Block, Code, Heading, Item, Notes, Paragraph, Quote, Rule, Span, Table
from player.notes.parse import ParsedNotes, beginning, parsed, read_in_parts, read_notes
from player.notes.plain import plain, words

__all__ = [
    "Block",
    "Code",
    "Heading",
    "Item",
    "Notes",
    "Paragraph",
    "ParsedNotes",
    "Quote",
    "Rule",
    "Span",
    "Table",
    "beginning",
    "parsed",
    "plain",
    "read_in_parts",
    "read_notes",
    "words",
]
