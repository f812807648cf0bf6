"""What Earmark does without being asked, with or without a screen: refreshes, notifications."""
