// Draws every `.chart` of a page from the specification inside it, and again when the page turns
// light or dark. Colours of text and lines are chosen here; colours of data are in the chart.
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
    axis: { labelColor: c.soft, titleColor: c.soft, gridColor: c.line, domainColor: c.strong, tickColor: c.line },
    legend: { labelColor: c.text, titleColor: c.soft },
    header: { labelColor: c.text, titleColor: c.soft },
    text: { color: c.text },
    rule: { color: c.text },
    tick: { color: c.text },
  });

  // a title as long as a sentence, in lines that fit
  const lines = (text, width) => {
    const found = [""];
    for (const word of String(text).split(" ")) {
      const longer = `${found.at(-1)} ${word}`.trim();
      if (longer.length * 7.4 > width && found.at(-1)) found.push(word);
      else found[found.length - 1] = longer;
    }
    return found;
  };

  // the box says what the chart shows: parts that Vega draws as images without a name say nothing
  const nameless = (canvas) =>
    canvas.querySelectorAll("svg [role]:not([aria-label])").forEach((part) => part.removeAttribute("role"));

  const draw = async (box) => {
    const spec = JSON.parse(box.querySelector("script[type='application/json']").textContent);
    let canvas = box.querySelector(".chart-canvas");
    if (!canvas) {
      canvas = document.createElement("div");
      canvas.className = "chart-canvas";
      box.append(canvas);
      new MutationObserver(() => nameless(canvas)).observe(canvas, {
        subtree: true, childList: true, attributes: true, attributeFilter: ["role"],
      });
    }
    const now = mode();
    if (box.dataset.mode === now) return;
    box.dataset.mode = now;
    box.drawing?.finalize();
    if (typeof spec.title === "string") spec.title = { text: lines(spec.title, box.clientWidth - 4) };
    try {
      box.drawing = await window.vegaEmbed(canvas, spec, {
        mode: "vega-lite",
        renderer: "svg",
        config: config(ink[now]),
        actions: false, // assets/tools.js has them, where they are seen
        tooltip: { theme: now },
      });
      canvas.querySelector("summary")?.setAttribute("aria-label", "Save this chart");
      box.classList.add("drawn");
    } catch (error) {
      canvas.textContent = "This chart could not be drawn.";
      console.error(box.id, error);
    }
  };

  window.diskbenchDraw = draw; // for charts that come later: the page query

  const all = () => document.querySelectorAll(".chart").forEach(draw);
  document.addEventListener("DOMContentLoaded", () => {
    all();
    new MutationObserver(all).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    // on paper the page is light, whatever it is on the screen
    matchMedia("print").addEventListener("change", all);
  });
})();
