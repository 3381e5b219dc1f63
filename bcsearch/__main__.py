"""``python -m bcsearch``: the command line."""

from bcsearch.cli import main

main()
