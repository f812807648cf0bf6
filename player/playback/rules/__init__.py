"""What is decided without touching anything: ends, jumps, skipped chapters, rewinds, which state may follow which."""
