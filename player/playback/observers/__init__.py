"""What follows playback and makes something of it: discrete events, spans of what was heard, what is to be written.

They decide nothing.
"""
