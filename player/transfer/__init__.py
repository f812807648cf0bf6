"""Coming from another app, or from another Earmark: a file recognised, read, cleaned, previewed and merged."""
