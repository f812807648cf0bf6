"""The sidebar: its rows, and the field to find one."""
