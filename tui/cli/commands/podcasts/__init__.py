"""Commands about podcasts: subscriptions, what is set for one, checks for new episodes, OPML files."""
