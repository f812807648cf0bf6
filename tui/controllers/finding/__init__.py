"""Finding podcasts in directories, and opening one before subscribing."""
