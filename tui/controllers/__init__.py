"""What the parts of a screen do: plain classes that are handed what they need, and run without a screen."""
