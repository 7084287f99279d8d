"""A scripted model and a Band room on this machine, for the tests of an adapter."""
