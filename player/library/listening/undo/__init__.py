"""What acts keep of bookmarks, podcasts and positions, so that they can be undone."""
