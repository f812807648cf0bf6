"""Panels over a screen: a question, a form, a choice."""
