"""What sync keeps: the account, what all devices have said, what waits to be sent; and what of it is applied here."""
