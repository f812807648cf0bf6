"""Schema migrations, one file per feature that needs some; the first ones are in the folder above."""
