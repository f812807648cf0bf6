"""Commands that play: here without the app, or by steering the Earmark that runs."""
