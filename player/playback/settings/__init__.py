"""What is set for the current episode: resolved from config.toml and its podcast, applied, and saved when changed."""
