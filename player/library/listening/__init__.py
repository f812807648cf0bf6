"""What the listener has made of episodes: queue, inbox, bookmarks, segments, and every act that can be undone."""
