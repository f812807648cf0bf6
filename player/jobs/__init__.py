"""Jobs: work in processes of their own, to keep it out of the screen's interpreter."""
