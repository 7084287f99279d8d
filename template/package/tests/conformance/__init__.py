"""The rules that every Band adapter keeps, and a test for each of them."""
