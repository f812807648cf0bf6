"""What devices tell each other of listening and subscriptions, as frozen values."""
