"""What a listener has made of the episodes: the queue, the inbox, and every act that can be undone."""
