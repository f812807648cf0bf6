"""Other podcast players, each installed into a folder of the bench and driven as a person would."""
