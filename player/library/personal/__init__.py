"""Everything that is the listener's: read piece by piece for an export, and put back from one."""
