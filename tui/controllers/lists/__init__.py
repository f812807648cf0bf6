"""The list of episodes: the view that it shows, its selection, and the actions on the selected episodes."""
