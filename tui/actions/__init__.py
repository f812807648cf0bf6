"""What a person can do: the one table of actions, the palette, and what keys share."""
