"""Finding podcasts: the public directories, asked all at once; charts; and podcasts for a start."""
