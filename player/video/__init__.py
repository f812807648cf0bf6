"""The video of an episode: which one it has, and how it is shown in a program of the listener's."""
