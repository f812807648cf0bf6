"""Lists of episodes of any length: counted at once, read where they are looked at."""
