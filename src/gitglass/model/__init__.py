"""What may be asked and what is answered: the pydantic vocabulary."""
