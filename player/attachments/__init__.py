"""The attachments of episodes, chapters and transcripts: found, fetched, stored and read."""
