// The page query: what is typed, chosen and linked. It works without the engine, too, as far as
// that goes; engine and editor (made from npm's packages, in engine/) are loaded when needed.
(() => {
  const find = (id) => document.getElementById(id);
  const site = JSON.parse(find("query-settings").textContent);
  const tool = find("query");
  const area = find("query-sql");
  const status = find("query-status");
  const box = { progress: find("query-progress"), error: find("query-error"), result: find("query-result") };
  const buttons = { run: find("query-run"), cancel: find("query-cancel"), link: find("query-link"), csv: find("query-csv") };
  const pick = Object.fromEntries(["mark", "x", "y", "color"].map((name) => [name, find(`query-chart-${name}`)]));

  let editor = { // the textarea alone
    get: () => area.value,
    set: (text) => (area.value = text),
    insert: (text) => {
      area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
      area.focus();
    },
    focus: () => area.focus(),
  };
  let engine = null; // a promise of a running engine
  let turn = 0; // each run has a number; what comes after a later one is dropped
  let result = null;
  let wanted = null; // the chart that a link or an example asks for: columns by name

  const load = (name) => {
    const script = document.createElement("script");
    script.src = `${site.engine.folder}/${name}?v=${site.engine.stamp}`;
    return new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${site.engine.folder}/${name} could not be loaded`));
      document.head.append(script);
    });
  };

  const say = (text) => (status.textContent = text);
  const number = (value, word) => `${value.toLocaleString("en")} ${word}${value === 1 ? "" : "s"}`;
  const seconds = (ms) => (ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`);

  function progress(text, share) {
    box.progress.hidden = false;
    box.progress.querySelector("span").textContent = `${text}\u2026`;
    const bar = box.progress.querySelector("progress");
    if (share === undefined) bar.removeAttribute("value");
    else bar.value = share;
  }

  function fail(error) {
    box.error.querySelector("pre").textContent = error.message ?? String(error);
    box.error.hidden = false;
    leave();
    say("");
  }

  function leave() {
    box.result.hidden = true;
    box.result.querySelector(".table-box").replaceChildren();
    result = null;
  }

  function busy(is) {
    buttons.run.disabled = is;
    buttons.cancel.hidden = !is;
    tool.ariaBusy = String(is);
  }

  async function start() {
    if (!window.diskbenchEngine) await load("duckdb.js");
    return window.diskbenchEngine.start(site, progress);
  }

  async function run() {
    if (!site.engine || buttons.run.disabled) return;
    const mine = ++turn;
    const sql = editor.get();
    remember();
    busy(true);
    box.result.inert = true; // the engine no longer has its rows
    box.error.hidden = true;
    say(engine ? "Running." : "Loading the engine, once.");
    try {
      if (!engine) {
        progress("Loading the engine", 0);
        engine = start();
      }
      const running = await engine.catch((error) => {
        engine = null;
        throw error;
      });
      if (mine !== turn) return;
      progress("Running");
      const found = await window.diskbenchEngine.run(running, sql);
      if (mine !== turn) return;
      result = found;
      await show();
    } catch (error) {
      if (mine === turn) fail(error);
    } finally {
      if (mine === turn) {
        busy(false);
        box.progress.hidden = true;
      }
    }
  }

  async function cancel() {
    turn += 1;
    const stopped = engine;
    engine = null; // the next run starts a new one
    busy(false);
    leave();
    box.progress.hidden = true;
    say("Cancelled.");
    buttons.run.focus();
    (await stopped?.catch(() => null))?.stop();
  }

  async function show() {
    const { SHOWN, drawTable } = window.diskbenchEngine;
    const { rows, columns, milliseconds } = result;
    const shown = rows > SHOWN ? `; the first ${SHOWN.toLocaleString("en")} are shown, the CSV file has all` : "";
    const told = `${number(rows, "row")}, ${number(columns.length, "column")}, in ${seconds(milliseconds)}${shown}`;
    await drawTable(box.result.querySelector(".table-box"), result, `Result: ${told}`);
    box.result.hidden = box.result.inert = false;
    say(`${told}.`);
    await offerChart();
  }

  // the chart: columns have places in the result, and names in links
  async function offerChart() {
    const chart = find("query-chart");
    const { choose, MARKS } = window.diskbenchEngine;
    const place = (name) => result.columns.findIndex((column) => column.name === name);
    let chosen = await choose(result);
    if (wanted && result.rows && place(wanted.x) >= 0 && place(wanted.y) >= 0) {
      const color = place(wanted.color);
      chosen = { mark: wanted.mark, x: place(wanted.x), y: place(wanted.y), color: color < 0 ? null : color };
    } else if (wanted && result.rows) {
      wanted = null;
      remember();
    }
    chart.hidden = !chosen;
    find("query-chart-none").hidden = Boolean(chosen) || !result.rows;
    if (!chosen) return;
    const options = (select, list, now) => {
      select.replaceChildren(...list.map(([value, text]) => new Option(text, value, false, value === now)));
    };
    const all = result.columns.map(({ name }, at) => [String(at), name]);
    options(pick.mark, MARKS.map((mark) => [mark, mark]), chosen.mark);
    options(pick.x, all, String(chosen.x));
    options(pick.y, all, String(chosen.y));
    options(pick.color, [["", "one colour"], ...all], chosen.color === null ? "" : String(chosen.color));
    await drawChart();
  }

  function chosenChart() {
    const color = pick.color.value === "" ? null : Number(pick.color.value);
    return { mark: pick.mark.value, x: Number(pick.x.value), y: Number(pick.y.value), color };
  }

  async function drawChart() {
    const { drawing, remark } = await window.diskbenchEngine.specification(result, chosenChart(), site.look);
    const figure = find("query-chart").querySelector("figure");
    figure.querySelector(".chart")?.drawing?.finalize();
    const caption = document.createElement("figcaption");
    caption.textContent = remark;
    figure.replaceChildren(...(remark ? [caption] : []));
    if (!drawing) return;
    const chart = document.createElement("div");
    chart.className = "chart";
    chart.id = "chart-result";
    chart.role = "group";
    chart.ariaLabel = drawing.description;
    chart.spec = drawing;
    figure.prepend(chart);
    await window.diskbenchDraw(chart);
  }

  // links: #s=SQL as base64url (reports/lib/links.py says why), once #q=SQL, which still works;
  // and &chart=mark,x,y,color with names of columns where somebody chose them
  function packed(text) {
    const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
    return btoa(bytes.join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  function unpacked(text) {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0)));
  }

  function address() {
    const parts = [`s=${packed(editor.get())}`];
    if (wanted) {
      const names = [wanted.mark, wanted.x, wanted.y, ...(wanted.color ? [wanted.color] : [])];
      parts.push(`chart=${encodeURIComponent(names.map(encodeURIComponent).join(","))}`);
    }
    return `${location.href.split("#")[0]}#${parts.join("&")}`;
  }

  function remember() {
    history.replaceState(null, "", address());
  }

  function read() {
    const asked = new URLSearchParams(location.hash.slice(1));
    let sql = asked.get("q");
    try {
      sql = asked.has("s") ? unpacked(asked.get("s")) : sql;
    } catch {
      fail(new Error("This link is not whole, so its query cannot be read: copy the link again."));
    }
    if (!sql) return false;
    try {
      const [mark, x, y, color] = (asked.get("chart") ?? "").split(",").map(decodeURIComponent);
      wanted = y ? { mark, x, y, color } : null;
    } catch {
      wanted = null; // a link that was cut short
    }
    editor.set(sql);
    return true;
  }

  async function copyLink() {
    remember();
    const field = find("query-address");
    field.hidden = true;
    try {
      await navigator.clipboard.writeText(address());
      say("The link is copied: whoever opens it sees this query and its rows.");
    } catch {
      // without permission, or opened from a disk: to be copied by hand
      field.hidden = false;
      field.value = address();
      field.select();
      say("Copy the link from the field: this browser does not let the page do it.");
    }
  }

  function tables() {
    const found = {};
    for (const item of document.querySelectorAll("[data-table]")) {
      const columns = [...item.querySelectorAll("li")];
      const told = (one, tag) => one.querySelector(tag).textContent.trim();
      found[item.dataset.table] = columns.map((one) => [told(one, "button"), told(one, "i")]);
    }
    return found;
  }

  async function edit() {
    await load("editor.js");
    const text = editor.get();
    const focused = document.activeElement === area;
    editor = window.diskbenchEditor.create(area, tables(), { run });
    if (editor.get() !== text) editor.set(text);
    if (focused) editor.focus();
  }

  find("query-form").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  });
  buttons.cancel.addEventListener("click", cancel);
  buttons.link.addEventListener("click", copyLink);
  buttons.csv.addEventListener("click", async () => {
    try {
      const file = new Blob([await result.csv()], { type: "text/csv" });
      window.diskbenchTools.save("diskbench.csv", file);
    } catch (error) {
      say(`The CSV file could not be written: ${error.message}`);
    }
  });
  find("query-example").addEventListener("change", ({ target }) => {
    const example = site.examples[target.value];
    if (!example) return;
    editor.set(example.sql);
    wanted = example.chart;
    run();
  });
  for (const select of Object.values(pick)) {
    select.addEventListener("change", async () => {
      const { mark, x, y, color } = chosenChart();
      const name = (at) => (at === null ? "" : result.columns[at].name);
      wanted = { mark, x: name(x), y: name(y), color: name(color) };
      remember();
      await drawChart();
    });
  }
  tool.addEventListener("click", ({ target }) => {
    const name = target.closest("[data-table] button");
    if (name) editor.insert(name.dataset.insert ?? name.textContent);
  });
  addEventListener("hashchange", async () => {
    if (!read()) return;
    if (buttons.run.disabled) await cancel(); // what runs was asked before
    run();
  });

  document.addEventListener("DOMContentLoaded", () => {
    const linked = read();
    if (!linked) wanted = site.examples[0].chart; // the query that stands there
    if (!site.engine) return;
    for (const button of Object.values(buttons)) button.disabled = false;
    edit().catch(() => {}); // the textarea does, too
    if (linked) run();
  });
})();
