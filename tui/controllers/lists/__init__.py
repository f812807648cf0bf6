"""The list of episodes: which view it shows, what is selected in it, and what is done with that."""
