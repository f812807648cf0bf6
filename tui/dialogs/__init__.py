"""Dialogs: panels over a screen with a question, a form or a choice."""
