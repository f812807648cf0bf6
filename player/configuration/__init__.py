"""config.toml for people: its settings with their documentation, where each value comes from, and changing it."""
