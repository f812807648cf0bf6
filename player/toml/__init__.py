"""TOML as somebody wrote it: where each name stands, and another value put in without touching the rest."""
