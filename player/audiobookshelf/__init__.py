"""A client of Audiobookshelf servers: signing in, podcasts, progress and listening sessions.

Written for 2.26 and later. Older servers give one token, which doesn't expire, instead of an access and a refresh
token. Source: the server's own code and answers (github.com/advplyr/audiobookshelf, 2.36).
"""
