"""Jobs: work in separate processes, to keep it out of the screen's interpreter."""
