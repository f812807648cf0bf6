"""Devices on the local network as sound outputs: found, told what to play, and believed only as far as they can be."""
