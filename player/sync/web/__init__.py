"""Talking to the servers that devices sync through: requests, answers within bounds, and what all servers share."""
