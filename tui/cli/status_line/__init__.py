"""What is playing, in a line for a status bar: templates, one line in no time, and following."""
