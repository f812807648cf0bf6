"""What leans on Textual's inside, in one place."""
