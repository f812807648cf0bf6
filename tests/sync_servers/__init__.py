"""Sync servers on 127.0.0.1 that follow their documentation, with each fault that real ones have, to be switched on."""
