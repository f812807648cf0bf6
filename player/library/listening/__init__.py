"""The choices about episodes: the queue, the inbox, bookmarks, segments, and every act that can be undone."""
