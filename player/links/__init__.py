"""Addresses: made safe, shown without trackers, and the pages that have names of their own."""
