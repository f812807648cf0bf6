"""Downloads and their queue as frozen values, and the events about them."""
