"""What a playback engine must do, the silent engine, and the outputs that play its sound."""
