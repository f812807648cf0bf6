"""Earmark's speed, memory and accuracy on this machine, compared with other players: `make bench` prints tables."""
