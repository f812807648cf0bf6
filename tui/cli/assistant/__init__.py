"""What an assistant may ask of the library, and have done: the tools of `earmark mcp`."""
