"""The command line. Nothing here imports Textual."""
