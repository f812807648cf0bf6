"""The sidebar: its rows, and the field for finding one."""
