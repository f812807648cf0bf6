"""Now playing as lines of text: the cover, the title, the chapters, and what is being said."""
