"""The kit for child processes and threads that never keep Earmark from ending."""
