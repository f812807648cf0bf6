"""The cached bytes of episodes, and which bytes those are."""
