"""From a feed's bytes to a Feed, in processes of their own: two parsers, and what both need."""
