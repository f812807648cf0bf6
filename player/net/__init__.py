"""The network: one client for everything that Earmark fetches, one bounded fetch of small bodies, one table of
failures.
"""
