"""Clips: parts of episodes as files of their own, with the words that are said in them."""
