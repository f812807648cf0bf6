"""One filter compiled to SQL, and lists of episodes of any length: counted at once, read where they are looked at."""
