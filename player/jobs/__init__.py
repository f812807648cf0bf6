"""Work in a process of its own, so that the screen's interpreter has none of it to do."""
