"""From one hook call to one typed outcome: signatures, order, isolation, deadlines and folding."""
