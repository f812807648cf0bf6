"""Tags written into copies of downloaded files, in a process of its own."""
