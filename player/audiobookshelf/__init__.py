"""Audiobookshelf servers, as a client of their API meets them: signing in, podcasts, progress and listening sessions.

Written for 2.26 and later; of older servers the token that they give takes the place of those that expire. Source: the
server's own code and answers (github.com/advplyr/audiobookshelf, 2.36).
"""
