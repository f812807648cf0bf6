"""Pages whose text can be selected with the mouse."""
