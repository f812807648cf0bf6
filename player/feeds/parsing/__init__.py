"""From a feed's bytes to a Feed, in separate processes: two parsers, and the code they share."""
