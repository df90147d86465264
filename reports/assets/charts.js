// Draws every `.chart` of a page from the specification in its figure, and again when the page turns
// light or dark, wide or narrow. Colours of text and lines are chosen here; colours of data are in the chart.
(() => {
  const ink = {
    light: { text: "#2b3138", soft: "#5d6771", line: "#dfe3e8", strong: "#9aa4ae" },
    dark: { text: "#dde2e7", soft: "#9fa9b4", line: "#333b44", strong: "#66717d" },
  };
  const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
  const dark = () => document.body.classList.contains("quarto-dark") && !matchMedia("print").matches;
  const mode = () => (dark() ? "dark" : "light");

  const config = (c) => ({
    background: "transparent",
    font,
    view: { stroke: null },
    title: { color: c.text, subtitleColor: c.soft },
    axis: {
      labelColor: c.soft, titleColor: c.soft, gridColor: c.line, domainColor: c.strong, tickColor: c.line,
      labelSeparation: 4,
    },
    legend: { labelColor: c.text, titleColor: c.soft },
    header: { labelColor: c.text, titleColor: c.soft },
    text: { color: c.text },
    rule: { color: c.text },
    tick: { color: c.text },
  });

  const pen = document.createElement("canvas").getContext("2d");

  // a text as long as a sentence, in lines that fit; measured, as fonts differ from machine to machine
  const lines = (text, width, style) => {
    pen.font = `${style} ${font}`;
    const found = [""];
    for (const word of String(text).split(" ")) {
      const longer = `${found.at(-1)} ${word}`.trim();
      if (found.at(-1) && pen.measureText(longer).width > width) found.push(word);
      else found[found.length - 1] = longer;
    }
    return found;
  };

  // whether names side by side, each in the middle of its share of the width, leave each other no room
  const crowded = (names, width) => {
    pen.font = `12px ${font}`; // as in lib/theme.py
    const needed = names.map((name) => pen.measureText(name).width + 8);
    const share = (width - 70) / names.length; // without the numbers of the other axis
    return needed.some((one, at) => at && (one + needed[at - 1]) / 2 > share);
  };

  // Names of lines end with the chart: one that is longer would be cut, and would press the chart
  // together. Where they stand over their lines they have all of it, beside them not even half. Names below an axis
  // that would leave each other no room are slanted, as Vega would leave out some of them.
  const fitted = (spec, width, columns) =>
    JSON.parse(JSON.stringify(spec), (key, value) => {
      if (value?.axis?.labelOverlap) {
        const slanted = crowded(value.scale.domain, width) ? { labelAngle: -40 } : {};
        value = { ...value, axis: { ...value.axis, labelOverlap: false, ...slanted } };
      }
      if (key === "legend" && value?.columns) value = { ...value, columns: Math.min(value.columns, columns) };
      if (!value?.labelLimit || (key !== "axis" && key !== "legend")) return value;
      const beside = key === "axis" && value.labelAlign !== "left";
      const room = Math.min(value.labelLimit, Math.round(beside ? width * 0.58 : width - 32));
      if (!beside) return { ...value, labelLimit: room };
      // a name that is too long goes on below its first comma, and the two lines are centred on its tick
      const long = `length(datum.label) * 7 > ${room}`;
      const two = `${long} ? split(replace(datum.label, ', ', '|'), '|') : datum.label`;
      const labelOffset = { condition: { test: long, value: -6 }, value: 0 };
      return { ...value, labelLimit: room, labelExpr: two, labelLineHeight: 12, labelOffset };
    });

  // A legend begins where the names of lines end: only the drawn chart shows how much room that leaves.
  const cut = (canvas) => {
    const end = canvas.querySelector("svg").getBoundingClientRect().right + 1;
    return [...canvas.querySelectorAll(".role-legend text")].some((text) => text.getBoundingClientRect().right > end);
  };

  // A label's lines, all of them text. Vega's own would fetch what stands in a column named `image`.
  const told = (value, text) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return text(value);
    const lines = Object.entries(value).filter(([, what]) => what !== undefined);
    const line = ([name, what]) => `<tr><td class="key">${text(name)}</td><td class="value">${text(what)}</td></tr>`;
    return `<table>${lines.map(line).join("")}</table>`;
  };

  // the box says what the chart shows: parts that Vega draws as images without a name say nothing
  const nameless = (canvas) =>
    canvas.querySelectorAll("svg [role]:not([aria-label])").forEach((part) => part.removeAttribute("role"));

  // The one file that draws charts: loaded with the first of them, also from the disk.
  let loading = null;
  const runtime = (box) => {
    loading ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = box.dataset.runtime ?? "assets/charts/vega.js"; // the page query is at the root
      script.onload = done;
      script.onerror = () => failed(new Error(`${script.src} is missing`));
      document.head.append(script);
    });
    return loading;
  };

  // What a figure carries (reports/lib/show.py): `specs`, one for each of its charts, and the rows of all in `datasets`.
  const carried = async (script) => {
    if (!("packed" in script.dataset)) return JSON.parse(script.textContent);
    const bytes = Uint8Array.from(atob(script.textContent), (one) => one.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  };

  const specOf = async (box) => {
    if (box.spec) return box.spec; // made in the page: the page query
    const figure = box.closest("figure");
    figure.carried ??= carried(figure.querySelector(":scope > script"));
    const { specs, datasets } = await figure.carried;
    const spec = specs[[...figure.querySelectorAll(".chart")].indexOf(box)];
    return { ...spec, datasets: Object.fromEntries(spec.datasets.map((name) => [name, datasets[name]])) };
  };

  const draw = async (box) => {
    const now = mode();
    const width = box.clientWidth;
    const wanted = `${now} ${width}`;
    if (box.dataset.drawing || box.dataset.drawn === wanted) return;
    box.dataset.drawing = wanted;
    let canvas = box.querySelector(".chart-canvas");
    if (!canvas) {
      canvas = document.createElement("div");
      canvas.className = "chart-canvas";
      box.append(canvas);
      new MutationObserver(() => nameless(canvas)).observe(canvas, {
        subtree: true, childList: true, attributes: true, attributeFilter: ["role"],
      });
    }
    try {
      await runtime(box);
      for (let columns = 3; columns && (columns === 3 || cut(canvas)); columns--) {
        const spec = fitted(await specOf(box), width, columns);
        if (typeof spec.title === "string") {
          spec.title = { text: lines(spec.title, width - 16, "600 14px") }; // as in lib/theme.py
        }
        box.drawing?.finalize();
        box.drawing = await window.vegaEmbed(canvas, spec, {
          mode: "vega-lite",
          renderer: "svg",
          config: config(ink[now]),
          actions: false, // assets/tools.js has them, where they are seen
          tooltip: { theme: now, formatTooltip: told },
        });
      }
      canvas.querySelector("summary")?.setAttribute("aria-label", "Save this chart");
      box.classList.add("drawn");
    } catch (error) {
      canvas.textContent = "This chart could not be drawn.";
      console.error(box.id, error);
    }
    delete box.dataset.drawing;
    box.dataset.drawn = wanted;
    await draw(box); // the page may have changed meanwhile
  };

  window.diskbenchDraw = draw; // for charts that come later: the page query
  window.diskbenchSpec = specOf; // for what takes charts away: tools.js
  window.diskbenchLines = lines;

  const all = () => document.querySelectorAll(".chart").forEach(draw);
  document.addEventListener("DOMContentLoaded", () => {
    all();
    new MutationObserver(all).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    // on paper the page is light, whatever it is on the screen
    matchMedia("print").addEventListener("change", all);
    let soon; // a window that is being made narrower changes many times
    addEventListener("resize", () => {
      clearTimeout(soon);
      soon = setTimeout(all, 150);
    });
  });
})();
