"""How syncing stands, as labels and sentences."""
