"""Run directories: what a long run has finished, kept so that it can be looked at, stopped and continued."""
