"""What is said in the middle of what is empty."""
