"""What hook traffic looked like: counted per plugin, and later recorded, replayed and explained."""
