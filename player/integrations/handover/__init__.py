"""The sound handed to another Earmark and taken back, with the lock and the control socket."""
