"""Earmark for other programs: the control socket, its client, and the JSON that both speak."""
