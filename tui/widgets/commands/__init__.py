"""Lists of commands: of the help and of the palette."""
