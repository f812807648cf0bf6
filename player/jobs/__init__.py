"""Jobs: work in processes of their own, so that the screen's interpreter is spared it."""
