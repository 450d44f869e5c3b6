"""Settings: flags, KDIFF_ variables and the configuration file in, one checked Settings value out, with the origin of each."""
