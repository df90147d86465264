"""The site: rendered by Quarto, or by a plain renderer of the same pages where that is missing."""
