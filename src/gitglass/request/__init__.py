"""What may be asked and what is answered: typed requests and rows, each option declared once."""
