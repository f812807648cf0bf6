"""What other programs ask of the app's screen: any action by its id, and earmark: addresses."""
