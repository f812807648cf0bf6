"""The world's scripts: where their lines may end, and the order of those that are read from right to left."""
