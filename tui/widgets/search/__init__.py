"""What a search has found: podcasts, episodes, and where the words stand."""
