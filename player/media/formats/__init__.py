"""What audio bytes say of themselves: their format, their frames, how long they last."""
