"""config.toml for people: its settings with their words, where each value comes from, and changes to it."""
