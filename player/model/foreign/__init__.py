"""What another app knows of podcasts and episodes, as frozen values."""
