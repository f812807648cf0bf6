"""What acts store about bookmarks, podcasts and positions, so that they can be undone."""
