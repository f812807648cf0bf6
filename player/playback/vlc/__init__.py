"""Sound through libvlc 3."""
