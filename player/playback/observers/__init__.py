"""What follows playback and makes something of it: discrete events, spans of what was heard. They decide nothing."""
