"""When memory is looked into, and what of it may be seen."""
