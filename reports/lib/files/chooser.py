"""The choice between the cells whose files stand in the page."""

from html import escape

import pandas as pd

from lib import show


def name(cell: dict) -> str:
    """The words for a cell in the list of those that can be chosen."""
    return f"{cell['machine']}: {cell['what']} (driver {cell['driver']}, {cell['scale']})"


def shown(cells: pd.DataFrame) -> show.Shown:
    """The list of the cells, hidden until a script makes it work."""
    options = "".join(
        f'<option value="files-{number}">{escape(name(cell))}</option>'
        for number, cell in enumerate(cells.to_dict("records"), start=1)
    )
    return show.html(
        '<p id="choose-files" hidden><label for="choose-cell">Cell to show</label> '
        f'<select id="choose-cell">{options}</select></p>'
    )


# Sections that are not chosen keep their width, which charts take theirs from, and no reader
# finds them. Without JavaScript all of them stay.
CHOOSE = """
<script>
document.addEventListener("DOMContentLoaded", () => {
  const choice = document.getElementById("choose-cell");
  const sections = [...document.querySelectorAll(".files-of-cell")];
  const away = "visibility: hidden; height: 0; overflow: hidden";
  const show = () => {
    for (const section of sections) section.style.cssText = section.id === choice.value ? "" : away;
  };
  const asked = location.hash.slice(1);
  if (sections.some((section) => section.id === asked)) choice.value = asked;
  choice.addEventListener("change", show);
  document.getElementById("choose-files").hidden = sections.length < 2;
  show();
});
</script>
"""
