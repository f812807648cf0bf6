"""What the search for podcasts asks in a dialog."""
