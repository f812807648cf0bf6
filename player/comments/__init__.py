"""The comments on an episode: the replies to the post that its feed names."""
