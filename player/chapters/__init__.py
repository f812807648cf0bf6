"""Chapters, from every place and in every format in which an episode may have them."""
