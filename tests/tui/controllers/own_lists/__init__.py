"""Tests of the lists that a listener makes."""
