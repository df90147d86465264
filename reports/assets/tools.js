// The quiet line below each chart and table: take it away as CSV, PNG or SVG, copy its command.
// Pages are whole without it: the link to the rows and the command stand in the page itself.
(() => {
  const PAD = 20; // pixels around a picture
  const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

  const clean = (text) => text.replace(/\s+/g, " ").trim();

  // what a test made up says so wherever it goes
  const mark = () => document.querySelector(".watermark")?.dataset.text ?? "";

  const save = (name, blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = [mark().replace(/\W+/g, "-"), name].filter(Boolean).join("-");
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  // RFC 4180
  const csv = (rows) => {
    const cell = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
  };
  const saveCsv = (name, rows) => save(`${name}.csv`, new Blob([csv(rows)], { type: "text/csv;charset=utf-8" }));

  const copy = async (made, label, text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // a page without https or without leave to write there: the old way
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    made.textContent = "copied";
    setTimeout(() => { made.textContent = label; }, 2000);
  };

  window.diskbenchTools = { copy, csv, save }; // for the explorer and the page query

  // What a table shows, spanned cells repeated; the lines that head a group become a first column.
  const tableRows = (table) => {
    const text = (cell) => {
      const copy = cell.cloneNode(true);
      copy.querySelectorAll("sup").forEach((mark) => mark.remove()); // letters of notes
      copy.querySelectorAll("small, br, p, div, li").forEach((part) => part.before(" "));
      return clean(copy.textContent);
    };
    const grouped = table.querySelector("tr.heading") !== null;
    const spans = []; // by column: rows left, text
    const found = [];
    let group = "";
    for (const line of table.rows) {
      if (line.matches(".heading")) {
        group = text(line.cells[0]);
        continue;
      }
      const row = [];
      const fill = () => {
        while (spans[row.length]?.left) {
          const span = spans[row.length];
          span.left -= 1;
          row.push(span.text);
        }
      };
      fill();
      for (const cell of line.cells) {
        const shown = text(cell);
        for (let i = 0; i < cell.colSpan; i += 1) {
          if (cell.rowSpan > 1) spans[row.length] = { left: cell.rowSpan - 1, text: shown };
          row.push(shown);
        }
        fill();
      }
      found.push(grouped ? [line.closest("thead") ? "Group" : group, ...row] : row);
    }
    // two rows of headings become one
    const heads = found.splice(0, table.tHead?.rows.length ?? 0);
    const head = heads[0]?.map((_, i) => [...new Set(heads.map((row) => row[i]))].join(" "));
    return head ? [head, ...found] : found;
  };

  // The rows that a chart draws; with several charts in one figure a first column names them.
  const chartRows = (specs) => {
    const parts = specs.map((spec) => {
      const inline = [];
      JSON.stringify(spec, (key, value) => {
        if (key === "data" && Array.isArray(value?.values)) inline.push(...value.values);
        return value;
      });
      const all = [...Object.values(spec.datasets ?? {}).flat(), ...inline];
      const rows = all.filter((row) => Object.keys(row).length > 1); // not the place of a line alone
      return { name: titleOf(spec) || spec.description, rows };
    });
    const columns = [...new Set(parts.flatMap((part) => part.rows.flatMap((row) => Object.keys(row))))];
    const several = parts.length > 1;
    return [
      several ? ["chart", ...columns] : columns,
      ...parts.flatMap((part) =>
        part.rows.map((row) => {
          const cells = columns.map((column) => row[column]);
          return several ? [part.name, ...cells] : cells;
        }),
      ),
    ];
  };

  const titleOf = (spec) => {
    const title = spec.title?.text ?? spec.title ?? "";
    return Array.isArray(title) ? title.join(" ") : title;
  };

  // One picture of all charts of a figure as they stand on the page, on its background, with its caption.
  const picture = async (figure, boxes) => {
    const paper = getComputedStyle(document.body);
    const colour = (name, otherwise) => paper.getPropertyValue(name).trim() || otherwise;
    const frame = figure.getBoundingClientRect();
    const places = boxes.map((box) => {
      const { left, top } = box.getBoundingClientRect();
      return { x: left - frame.left, y: top - frame.top };
    });
    const drawings = await Promise.all(boxes.map((box) => box.drawing.view.toSVG()));
    const svgs = drawings.map((text) => new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
    const top = Math.min(...places.map((place) => place.y));
    let width = 0;
    let height = 0;
    const parts = svgs.map((svg, i) => {
      const x = places[i].x;
      const y = places[i].y - top;
      const size = ["width", "height"].map((side) => parseFloat(svg.getAttribute(side)));
      width = Math.max(width, x + size[0]);
      height = Math.max(height, y + size[1]);
      svg.setAttribute("x", PAD + x);
      svg.setAttribute("y", PAD + y);
      return new XMLSerializer().serializeToString(svg);
    });
    const caption = clean(figure.querySelector("figcaption")?.textContent ?? "");
    const title = `diskbench: ${clean(document.querySelector("h1")?.textContent ?? "")}`;
    const source = [caption, [title, mark()].filter(Boolean).join("; ")].filter(Boolean);
    const lines = source.flatMap((text) => window.diskbenchLines(text, width, "12px"));
    const below = PAD + height + 22;
    const words = lines
      .map((line, i) => `<text x="${PAD}" y="${below + i * 17}">${escaped(line)}</text>`)
      .join("");
    const size = { width: Math.ceil(width + 2 * PAD), height: Math.ceil(below + lines.length * 17 + PAD / 2) };
    const text =
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ` +
      `width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}">` +
      `<rect width="100%" height="100%" fill="${colour("--sheet", "#ffffff")}"/>${parts.join("")}` +
      `<g font-family="${escaped(font)}" font-size="12" fill="${colour("--soft", "#59636d")}">${words}</g>` +
      `${across(size, colour("--poor", "#b4470f"))}</svg>`;
    return { text, ...size };
  };

  // the page's watermark, as wide as the picture
  const across = ({ width, height }, colour) => {
    if (!mark()) return "";
    const [x, y] = [width / 2, height / 2];
    const shape = `font-family="${escaped(font)}" font-weight="700" font-size="${Math.round(width / 9)}"`;
    const place = `x="${x}" y="${y}" text-anchor="middle" transform="rotate(-24 ${x} ${y})"`;
    return `<text ${shape} ${place} fill="${colour}" opacity="0.13">${escaped(mark())}</text>`;
  };

  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

  const png = async ({ text, width, height }) => {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    const scale = 2; // sharp on any screen and in print
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  };

  const button = (label, name, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "tool";
    made.textContent = label;
    made.setAttribute("aria-label", `${label}: ${name}`); // begins with what is seen
    made.addEventListener("click", () => act(made));
    return made;
  };

  // the line below a figure or a table, made where the page has none
  const line = (place) => {
    const made = document.createElement("p");
    made.className = "sources";
    place(made);
    return made;
  };

  const tools = (below, ...buttons) => {
    const group = document.createElement("span");
    group.className = "tools";
    group.append(...buttons);
    const command = below.querySelector("code")?.closest("span");
    if (command) command.before(group, " ");
    else below.append(" ", group);
  };

  const figures = () => {
    document.querySelectorAll("figure.charts").forEach(async (figure) => {
      const boxes = [...figure.querySelectorAll(".chart")];
      if (!boxes.length) return;
      const below = figure.querySelector(".sources") ?? line((made) => figure.append(made));
      const specs = await Promise.all(boxes.map(window.diskbenchSpec));
      const name = specs.map((spec, i) => titleOf(spec) || boxes[i].id).join("; ");
      const file = boxes[0].id;
      tools(
        below,
        button("CSV", name, () => saveCsv(file, chartRows(specs))),
        button("PNG", name, async () => save(`${file}.png`, await png(await picture(figure, boxes)))),
        button("SVG", name, async () => {
          const { text } = await picture(figure, boxes);
          save(`${file}.svg`, new Blob([text], { type: "image/svg+xml" }));
        }),
      );
    });
  };

  const tables = () => {
    for (const box of document.querySelectorAll(".table-box")) {
      const table = box.querySelector("table");
      if (!table) continue;
      const next = box.nextElementSibling;
      const below = next?.matches(".sources") ? next : line((made) => box.after(made));
      const name = clean(table.caption?.textContent ?? box.getAttribute("aria-label") ?? "table");
      const file = table.id.replace(/^table-/, "") || "table";
      tools(below, button("CSV", name, () => saveCsv(file, tableRows(table))));
    }
  };

  const commands = () => {
    for (const code of document.querySelectorAll(".sources code")) {
      const name = clean(code.textContent);
      code.after(" ", button("copy", name, (made) => copy(made, "copy", name)));
    }
  };

  // tables in Markdown, but not those of the notebook, which may have a dozen columns: on a phone as others (site.css)
  const stack = () => {
    for (const table of document.querySelectorAll("main table:not(.table-box *, .cell-output *)")) {
      const heads = [...(table.tHead?.rows[0].cells ?? [])].map(({ textContent }) => textContent);
      if (heads.length < 3) continue;
      table.classList.add("stacked");
      for (const cell of table.querySelectorAll("td")) cell.dataset.heading = heads[cell.cellIndex];
    }
  };

  // what scrolls sideways must be reached by the keyboard; tables in a box are already
  const scrollers = () => {
    for (const part of document.querySelectorAll("main pre, main table")) {
      if (part.closest(".table-box") || part.querySelector("a, button")) continue;
      if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    }
  };

  addEventListener("resize", scrollers);
  document.addEventListener("DOMContentLoaded", () => {
    stack();
    scrollers();
    figures();
    tables();
    commands();
  });
})();
