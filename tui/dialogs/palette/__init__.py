"""The palette: commands, lists, podcasts and episodes by a few letters."""
