"""All that a session knows beside the library, as one value: given to another process, or taken over."""
