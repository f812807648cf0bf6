"""Imports from another app, or from another Earmark: a file is recognised, read, cleaned, previewed and merged."""
