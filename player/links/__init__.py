"""Addresses: made safe, shown without trackers, and pages that have common names."""
