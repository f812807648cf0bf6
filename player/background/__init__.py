"""The player without a screen: how it is started, how it runs, what it reports, and when it ends by itself."""
