"""The sidebar: its rows, and what is typed to find one."""
