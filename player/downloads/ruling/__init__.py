"""Download rules at work: what they see of the library and the disk, following their plan, the trash, why."""
