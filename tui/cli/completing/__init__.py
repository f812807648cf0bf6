"""Completing in a shell: what each argument names, and the names of podcasts, episodes, lists and so on."""
