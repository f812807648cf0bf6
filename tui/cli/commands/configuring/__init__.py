"""The command about config.toml: what is set and where from, a template, the editor, checks."""
