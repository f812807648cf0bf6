"""Syncing through a server with the gpodder API: gpodder.net, oPodSync, PodFetch and others."""
