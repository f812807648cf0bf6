"""The player without a screen: how it runs, what it says, how it is started, and when it ends by itself."""
