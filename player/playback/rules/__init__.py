"""Pure decisions: ends, jumps, skipped chapters, rewinds, which state may follow which."""
