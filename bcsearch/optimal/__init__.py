"""Provably optimal trees: exact search."""
