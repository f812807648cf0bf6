"""Bytes of episodes from the network: files in ranges, live streams as they come."""
