"""Text from outside, made fit for a terminal, and what people write in it: times, durations, sizes."""
