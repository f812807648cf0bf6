"""Media keys, headsets and the panel's player, through MPRIS2 on D-Bus; headphones that are unplugged."""
