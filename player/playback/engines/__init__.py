"""The contract of a playback engine, the silent one, and the outputs that sound can go to."""
