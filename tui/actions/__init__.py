"""Everything a listener can do: the table of actions, their keys, and the list of commands."""
