"""Syncing through Nextcloud's app GPodder Sync (gpoddersync), and logging in there."""
