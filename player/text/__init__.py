"""Text from outside, made safe for a terminal, and values that people write as text: times, durations, sizes."""
