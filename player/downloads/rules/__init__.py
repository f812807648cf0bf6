"""Which downloads rules begin and delete, and why: pure decisions."""
