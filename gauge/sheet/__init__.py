"""The score card as one HTML page without outside resources; everything on it is in the JSON."""
