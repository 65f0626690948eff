"""Tests of the whole project: imports, documents, packaging, public names, other machines."""
