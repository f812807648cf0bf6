"""The listener's choices about episodes: the queue, the inbox, the bookmarks, and every act that can be undone."""
