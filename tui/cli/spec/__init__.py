"""All commands, what they take and what they print, for programs: `earmark --spec`."""
