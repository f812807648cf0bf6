"""The JSON documents that Earmark gives to other programs, as types; JSON schemas are made from them."""
