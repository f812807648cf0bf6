"""The sound handed to another Earmark and taken back, with the lock and the control socket.

Measured at the sink, the silence is 0.1 to 0.2 s, and at most 0.06 s is heard twice or lost (0.07 s on a busy machine).
"""
