"""What commands list: rows as JSON, by a template or as a table, and which of them."""
