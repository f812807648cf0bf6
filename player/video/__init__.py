"""The video of an episode: finding its address, and showing it in a program that the listener chose."""
