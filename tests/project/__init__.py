"""Tests of the project as a whole: imports, documents, packaging, public names, other machines."""
