"""The same sound found again in other bytes: versions of an episode are aligned, and marks are moved along."""
