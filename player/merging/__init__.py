"""The rules by which devices agree: pure functions of what they have said of episodes, subscriptions and the rest."""
