"""Effects on the sound: Earmark decodes an episode itself, filters it, and gives libvlc the result as a WAV stream.

libvlc has filters of its own, but no limiter: its compressor, which doesn't see what comes, let peaks of 10 dB over its
threshold through. FFmpeg's limiter looks ahead, and the same chain of filters trims pauses to the sample. Without
effects libvlc gets the bytes as they are.
"""
