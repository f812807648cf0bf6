"""What feeds say of podcasts, written; and podcasts that are opened without subscribing to them."""
