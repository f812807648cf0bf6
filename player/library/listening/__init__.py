"""What a listener has made of the episodes: the queue, the inbox, the bookmarks, and every act that can be undone."""
