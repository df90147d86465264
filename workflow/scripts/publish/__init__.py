"""Renders the site with Quarto, or with a plain renderer if Quarto is missing."""
