"""Talking to the servers that devices sync through: requests, bounded answers, and the code common to all servers."""
