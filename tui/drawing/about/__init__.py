"""The page of a podcast as lines of text: its head, cards, activity, episodes, people and links."""
