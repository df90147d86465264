// The result as a table: the first rows, sorted by the column whose heading is chosen.
export const SHOWN = 1000;

function cell(value, { kind }) {
  const td = document.createElement("td");
  if (kind === "number") td.className = "number";
  if (value === null) {
    td.innerHTML = '<span class="missing">null</span>';
  } else {
    td.textContent = value;
    if (value.includes("\n")) td.classList.add("lines");
    else if (value.length <= 32) td.classList.add("keep");
  }
  return td;
}

/** Draw `result` into `box`; resolves when its rows are there. */
export async function drawTable(box, result, label) {
  let by = null;
  let descending = false;
  const table = document.createElement("table");
  table.className = "table";
  const head = table.createTHead().insertRow();
  const body = table.createTBody();
  const headings = result.columns.map((column, at) => {
    const th = document.createElement("th");
    th.scope = "col";
    if (column.kind === "number") th.className = "number";
    if (result.fixed) {
      th.textContent = column.name;
    } else {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = column.name;
      button.title = `${column.type.toLowerCase()}: sort by it`;
      button.addEventListener("click", () => {
        descending = by === at && !descending;
        by = at;
        return fill();
      });
      th.append(button);
    }
    head.append(th);
    return th;
  });
  const fill = async () => {
    const rows = await result.page(SHOWN, by, descending);
    headings.forEach((th, at) => {
      if (at === by) th.ariaSort = descending ? "descending" : "ascending";
      else th.removeAttribute("aria-sort");
    });
    if (!rows.length) body.innerHTML = `<tr><td class="missing" colspan="${headings.length}">no rows</td></tr>`;
    else body.replaceChildren(
      ...rows.map((row) => {
        const tr = document.createElement("tr");
        tr.append(...row.map((value, at) => cell(value, result.columns[at])));
        return tr;
      }),
    );
  };
  await fill();
  box.ariaLabel = label;
  box.replaceChildren(table);
}
