"""Tools for child processes and threads that never keep Earmark from exiting."""
