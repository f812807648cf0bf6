"""Finding podcasts, and the page of one that isn't subscribed to."""
