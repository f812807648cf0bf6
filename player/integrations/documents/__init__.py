"""What Earmark tells other programs, as types: JSON schemas are made from them."""
