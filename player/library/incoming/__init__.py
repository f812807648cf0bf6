"""What another app knew of episodes: matched, merged into the library, or kept until the feed brings the episode."""
