"""What plays after what: the queue, a list that continues, what is skipped and what is interrupted."""
