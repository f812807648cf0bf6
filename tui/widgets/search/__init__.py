"""Search results: podcasts, episodes, and where the words were found."""
