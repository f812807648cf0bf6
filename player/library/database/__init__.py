"""The file under the library: connections, migrations, checks, backups, and SQLite's errors."""
