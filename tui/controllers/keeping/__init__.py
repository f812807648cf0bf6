"""What is on this computer: offline mode, downloads, and their marks in every list."""
