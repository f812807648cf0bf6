"""YouTube channels and playlists, where yt-dlp is installed: it finds the audio of a video."""
