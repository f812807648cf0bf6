"""What download rules need of the library: candidates, what is stored and refused, lists that are downloaded."""
