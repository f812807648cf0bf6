"""What a running player sees on the disk: config.toml that was saved, and what another process wrote."""
