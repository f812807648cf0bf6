"""Pages over the whole screen: about a podcast or a person, and what is playing now."""
