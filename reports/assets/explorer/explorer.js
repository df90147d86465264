// The explorer of the start page: pick a Mac, releases and images; bars against that Mac's own SSD.
// The state is in the link after `#`. Without this script the page has the first state as a table.
(() => {
  const root = document.getElementById("explorer");
  const data = JSON.parse(root.querySelector("script").textContent);
  const { lists, names } = data;
  const { copy, csv, save } = window.diskbenchTools;
  const KEYS = ["origin", "article", "host", "macos", "storage", "format", "encryption", "phase", "op", "mark"];
  const rows = data.rows.map((row) => {
    const [gbps, low, high, text, image, runs] = row.slice(KEYS.length);
    const words = Object.fromEntries(KEYS.map((key, at) => [key, lists[key][row[at]]]));
    return { ...words, gbps, low, high, text, image, runs };
  });
  const CHOICES = [
    ["m", "Mac", "host"], ["a", "macOS", "macos"], ["b", "Compare with", "macos"],
    ["d", "Disk", "storage"], ["f", "Format", "format"], ["e", "Encryption", "encryption"],
    ["p", "State", "phase"], ["o", "Direction", "op"], ["w", "Figures", "origin"], ["s", "Order", null],
  ];
  const OPTIONAL = { b: "nothing", f: "all", e: "all", w: "all" };
  const ORDERS = { "": "by format", fast: "fastest first" };
  const state = {};

  const named = (key, value) => names[key]?.[value] ?? value;
  const of = (choice) => CHOICES.find(([name]) => name === choice)[2];
  const fits = (row, choices) => choices.every((name) => !state[name] || row[of(name)] === state[name]);
  // what can be chosen hangs on what was chosen before it
  const options = (name) => {
    if (name === "s") return Object.keys(ORDERS);
    const before = { m: [], a: ["m"], b: ["m"], d: ["m", "a"] }[name] ?? ["m", "a", "d"];
    const found = [...new Set(rows.filter((row) => fits(row, before)).map((row) => row[of(name)]))];
    return name in OPTIONAL ? ["", ...found.filter((one) => name !== "b" || one !== state.a)] : found;
  };

  const read = () => {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const [name] of CHOICES) {
      const known = options(name);
      const wanted = given.get(name) ?? (given.has("m") ? null : data.first[name]);
      const usual = { o: "write", p: "fresh", d: "internal" }[name];
      state[name] = known.includes(wanted) ? wanted : known.includes(usual) ? usual : known[0] ?? "";
    }
  };
  const link = () => {
    const kept = CHOICES.map(([name]) => [name, state[name]]).filter(([, value]) => value);
    return `#${new URLSearchParams(kept)}`;
  };

  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };

  // of each origin the speed of the SSD
  const speeds = (part) => {
    const ssd = {};
    for (const row of part) if (row.format === "native") ssd[row.origin] = Math.max(ssd[row.origin] ?? 0, row.gbps);
    return ssd;
  };
  // the rows of a release, each with its share of the SSD as published or as measured
  const chosen = (release) => {
    const before = state.a;
    state.a = release;
    const here = rows.filter((row) => fits(row, ["m", "a", "d", "o", "w"]));
    const same = here.filter((row) => fits(row, ["p"]));
    const known = speeds(same);
    // an SSD in another state is better than none
    const part = here.filter((row) => same.includes(row) || (row.format === "native" && !(row.origin in known)));
    const ssd = speeds(part);
    state.a = before;
    const shown = part.filter((row) => row.format === "native" || fits(row, ["f", "e"]));
    return shown.map((row) => ({ ...row, share: ssd[row.origin] ? row.gbps / ssd[row.origin] : null, ssd: ssd[row.origin] }));
  };

  // as `gbps` of reports/lib/words.py
  const rounded = (gbps) => (gbps > 0 && gbps < 0.1 ? gbps.toPrecision(2) : gbps.toFixed(2));
  const interval = (row) => (row.low === null || row.high === null ? "" : `${rounded(row.low)} to ${rounded(row.high)}`);
  const percent = (part) => (part === null ? "" : `${Math.round(100 * part)} %`);
  const verdict = (row, other) => {
    if (!other) return "";
    if (row.origin === "published") return `${state.a} against ${state.b}: ${(row.gbps / other.gbps).toFixed(2)}\u00d7, one figure each: no verdict`;
    const keys = [row.host, row.storage, row.format, row.encryption, row.phase, row.op];
    const compared = [state.a, state.b];
    for (const change of data.changes) {
      if (keys.some((key, at) => change[at] !== key)) continue;
      const [, , , , , , said, times, earlier, later] = change;
      if (compared.includes(earlier) && compared.includes(later)) return `${later} against ${earlier}: ${times.toFixed(2)}\u00d7, ${said}`;
    }
    return "not compared";
  };

  // of the two releases that a verdict is about
  const vouched = () => {
    const known = [state.a, state.b].map((release) => data.vouched[`${state.m} ${release}`]).filter(Boolean);
    return [...new Set(known)].map((by) => `, ${by}`).join("");
  };
  const key = (row) => [row.origin, row.format, row.encryption, row.image].join("|");
  let table = []; // what is shown, for the files to take away
  let heading = "";

  // marks of both speeds that depend on the statistic, and the verdict
  const remarks = (row, other) => {
    const mark = (one, release) => one?.mark && [state.b && release, one.mark].filter(Boolean).join(" ");
    return [mark(row, state.a), mark(other, state.b), verdict(row, other)].filter(Boolean).join("; ");
  };

  const bar = (row, top, release) => {
    const line = element("span", { class: `bar-line ${row.origin}` });
    const width = (value) => `${Math.max(0.3, (100 * value) / top)}%`;
    line.append(element("span", { class: "bar-fill", style: `width:${width(row.gbps)}` }));
    if (interval(row)) {
      line.append(element("span", { class: "bar-interval", style: `left:${width(row.low)};width:${(100 * (row.high - row.low)) / top}%` }));
    }
    if (row.ssd) line.append(element("span", { class: "bar-ssd", style: `left:${width(row.ssd)}`, title: "the SSD itself" }));
    const span = interval(row) && ` (${interval(row)})`;
    const told = [`${row.text} GB/s${span}`, row.format === "native" ? "" : percent(row.share)].filter(Boolean).join(" \u00b7 ");
    return element("span", { class: "bar-row" }, line, element("span", { class: "bar-value" }, release ? `${release}: ${told}` : told));
  };

  const draw = () => {
    const now = chosen(state.a);
    const then = state.b ? chosen(state.b) : [];
    if (state.s === "fast") now.sort((one, two) => two.gbps - one.gbps);
    const verb = { write: "Writing to", read: "Reading from" }[state.o];
    heading = `${verb} ${named("phase", state.p)} images, ${named("host", state.m)}, macOS ${state.a}${state.b ? ` and ${state.b}` : ""}`;
    const top = 1.05 * Math.max(...[...now, ...then].flatMap((row) => [row.gbps, row.high ?? 0]), 0.001);
    const parts = [];
    table = [];
    for (const origin of ["published", "measured"]) {
      const part = now.filter((row) => row.origin === origin);
      if (!part.length) continue;
      const list = element("ul", { class: "bars", "aria-label": `${heading}, ${origin}` });
      for (const row of part) {
        const other = then.find((one) => key(one) === key(row));
        const said = remarks(row, other);
        const item = element("li", {}, element("span", { class: "bar-name" }, row.image), bar(row, top, state.b && state.a));
        if (other) item.append(bar(other, top, state.b));
        if (said) item.append(element("span", { class: "bar-remark" }, said));
        list.append(item);
        table.push([row.image, origin, row.text, interval(row), percent(row.share), other?.text ?? "", said]);
      }
      const articles = [...new Set(part.map((row) => row.article).filter(Boolean))];
      const source = element("p", { class: "bars-source" });
      source.append(`${origin === "published" ? "Published in" : `Measured${data.synthetic ? " (synthetic)" : ""}${vouched()}: means of runs with 95 % intervals`}`);
      articles.forEach((slug, at) => source.append(at ? ", " : " ", element("a", { href: `articles/${slug}.html` }, named("article", slug))));
      parts.push(list, source);
    }
    const images = now.filter((row) => row.format !== "native").length;
    const count = now.length ? `${images} ${images === 1 ? "image" : "images"} shown` : "No figure fits these choices";
    status.replaceChildren(element("h3", {}, heading), element("p", { class: "bars-source" }, `${count}.`));
    out.replaceChildren(...parts);
  };

  const columns = () => ["image", "figures", `GB/s, macOS ${state.a}`, "95 % interval", "of the SSD", `GB/s, macOS ${state.b}`, "remarks"];
  const grid = () => [columns(), ...table].map((row) => row.filter((_, at) => state.b || at !== 5));
  const markdown = () => {
    const [head, ...lines] = grid();
    const row = (cells) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
    return [`**${heading}** (${location.href.split("#")[0]}${link()})`, "", row(head), row(head.map(() => "---")), ...lines.map(row)].join("\n");
  };
  const picture = () => {
    const now = chosen(state.a);
    const [wide, line, scale] = [1080, 30, 2];
    const canvas = element("canvas", { width: wide * scale, height: (now.length * line + 90) * scale });
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, 0, wide, canvas.height);
    const write = (text, x, y, font = "14px system-ui, sans-serif", colour = "#23292f") => {
      pen.font = font;
      pen.fillStyle = colour;
      pen.fillText(text, x, y);
    };
    write(heading, 16, 28, "600 16px system-ui, sans-serif");
    const top = 1.05 * Math.max(...now.map((row) => row.gbps), 0.001);
    now.forEach((row, at) => {
      const y = 56 + at * line;
      write(row.image, 16, y + 14);
      pen.fillStyle = row.origin === "published" ? "#8a97a5" : "#1b64a3";
      pen.fillRect(300, y, (380 * row.gbps) / top, 18);
      write([`${row.text} GB/s`, percent(row.share), row.origin, row.mark.split(":")[0]].filter(Boolean).join(" \u00b7 "), 306 + (380 * row.gbps) / top, y + 14);
    });
    write(`diskbench${data.synthetic ? ", synthetic data" : ""}; published figures: Howard Oakley, eclecticlight.co`, 16, now.length * line + 78, "12px system-ui, sans-serif", "#59636d");
    canvas.toBlob((blob) => save("diskbench.png", blob), "image/png");
  };
  const form = element("form", { class: "choices", "aria-label": "Choose figures" });
  // a choice announces what is shown, not each bar
  const status = element("div", { role: "status" });
  const out = element("div");
  const fill = () => {
    form.replaceChildren(...CHOICES.map(([name, label, column]) => {
      const select = element("select", { name });
      for (const value of options(name)) {
        const text = name === "s" ? ORDERS[value] : value ? named(column, value) : OPTIONAL[name];
        select.append(new Option(text, value, false, value === state[name]));
      }
      return element("label", {}, label, select);
    }));
  };
  form.addEventListener("change", (event) => {
    const name = event.target.name;
    state[name] = event.target.value;
    for (const [other] of CHOICES) {
      const known = options(other);
      if (!known.includes(state[other])) state[other] = known[0] ?? "";
    }
    history.replaceState(null, "", link());
    fill();
    form.elements[name].focus();
    draw();
  });
  const tool = (label, act) => {
    const button = element("button", { type: "button", class: "tool" }, label);
    button.addEventListener("click", () => act(button));
    return button;
  };
  const copying = (label, text) => tool(label, (button) => copy(button, label, text()));
  const tools = element("p", { class: "explorer-tools" },
    copying("Copy link", () => location.href.split("#")[0] + link()), " ",
    copying("Copy Markdown", markdown), " ",
    copying("Copy CSV", () => csv(grid())), " ",
    tool("Save PNG", picture));

  const start = () => { read(); fill(); draw(); };
  root.replaceChildren(form, status, out, tools);
  addEventListener("hashchange", start);
  start();
})();
