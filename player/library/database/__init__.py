"""The library's database file: connections, migrations, integrity checks, backups, and SQLite's errors."""
