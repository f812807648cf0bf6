"""What Earmark costs and what it keeps, measured on this machine beside others: `make bench` prints tables."""
