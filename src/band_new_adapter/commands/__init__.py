"""One verb a module: the wiring from answers to report."""
