"""The page of an episode: its notes, tabs and links, and finding words in them; the pages about podcasts and people."""
