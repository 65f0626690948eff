"""Impostors: pictures that replace far characters."""
