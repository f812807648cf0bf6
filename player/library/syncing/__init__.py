"""What sync stores: the account, the actions of all devices, what waits to be sent; and applying the actions to this
library."""
