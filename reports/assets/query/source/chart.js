// A chart of the result, in the site's own look; the columns and the mark can be chosen.
export const MARKS = ["bar", "point", "line"];
const MOST = 5000; // rows in a chart; more are not told apart
const FEW = 8; // values that colours can tell apart

/** What to draw when nothing was chosen; nothing where there is no column of numbers. */
export async function choose(result) {
  const places = result.columns.map((_, at) => at);
  const of = (...kinds) => places.filter((at) => kinds.includes(result.columns[at].kind));
  const numbers = of("number");
  if (!numbers.length || !result.rows) return null;
  // what tells rows apart; a column with one value for all does not
  const named = of("text", "time").slice(0, 12);
  const looked = [...named, ...numbers];
  const rows = await result.values(looked, MOST);
  const value = (row, at) => row[looked.indexOf(at)];
  const different = (at) => new Set(rows.map((row) => value(row, at))).size;
  const empty = (at) => rows.every((row) => value(row, at) === null);
  const x = named.find((at) => different(at) > 1) ?? (numbers.length > 1 ? numbers[0] : named[0]);
  const up = numbers.filter((at) => at !== x);
  const y = up.find((at) => different(at) > 1) ?? up.find((at) => !empty(at)) ?? up[0];
  if (x === undefined || y === undefined) return null;
  const { kind } = result.columns[x];
  const color = named.find((at) => at !== x && different(at) > 1 && different(at) <= FEW) ?? null;
  const bars = new Set(rows.map((row) => JSON.stringify([x, color].map((at) => row[named.indexOf(at)]))));
  const alone = kind !== "number" && bars.size === rows.length; // else bars would stand on each other
  const mark = kind === "time" && alone ? "line" : kind === "text" && alone && bars.size <= 60 ? "bar" : "point";
  return { mark, x, y, color };
}

/**
 * A Vega-Lite specification, and a remark where it does not draw what was asked for. `look` is the
 * site's: `config` and `colours`.
 */
export async function specification(result, { mark: asked, x, y, color }, look) {
  const places = [x, y, ...(color === null ? [] : [color])];
  const rows = await result.values(places, MOST);
  const names = ["x", "y", "color"].slice(0, places.length);
  const values = rows
    .filter(([across, up]) => across !== null && up !== null)
    .map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
  if (!values.length) return { drawing: null, remark: "Nothing to draw: no row has a value in both columns." };
  const different = (name) => new Set(values.map((value) => value[name])).size;
  const column = (at) => result.columns[at];
  const isNumber = (at) => column(at).kind === "number";
  const keys = new Set(values.map((value) => JSON.stringify([isNumber(x) ? value.y : value.x, value.color])));
  const heaped = asked === "bar" && keys.size < values.length; // bars would hide each other
  const mark = heaped ? "point" : asked;
  const axis = (at, field) => {
    const { name, kind } = column(at);
    const shared = { field, title: name };
    if (kind === "number") {
      const whole = /INT/.test(column(at).type) ? { axis: { tickMinStep: 1 } } : {};
      return { ...shared, ...whole, type: "quantitative", scale: { zero: asked === "bar" } };
    }
    if (kind === "time") return { ...shared, type: "temporal", scale: { type: "utc" } };
    return { ...shared, type: "nominal", sort: null };
  };
  const encoding = { x: axis(x, "x"), y: axis(y, "y"), tooltip: names.map((field, at) => ({
    field, title: column(places[at]).name, type: axis(places[at], field).type,
  })) };
  if (color !== null) {
    const ordered = column(color).kind !== "text";
    encoding.color = ordered
      ? { field: "color", type: axis(color, "color").type, title: column(color).name }
      : { field: "color", type: "nominal", title: column(color).name, sort: null,
          ...(different("color") <= look.colours.length ? { scale: { range: look.colours } } : {}) };
    if (mark === "bar" && !ordered) {
      if (encoding.x.type === "nominal") encoding.xOffset = { field: "color" };
      else if (encoding.y.type === "nominal") encoding.yOffset = { field: "color" };
    }
  }
  const [flat, lines, groups] = [encoding.y.type === "nominal", different("y"), different("color")];
  const crowded = encoding.x.type === "nominal" && different("x") > 12;
  if (crowded) encoding.x.axis = { labelAngle: -90, labelLimit: 160 };
  else if (encoding.x.type === "nominal") encoding.x.axis = { labelAngle: 0, labelLimit: 110 };
  for (const channel of ["x", "y"]) {
    if (mark === "bar" && encoding[channel].type === "quantitative") encoding[channel].stack = null;
  }
  const left = result.rows > rows.length ? `, the first ${rows.length.toLocaleString("en")} rows` : "";
  const marks = { bar: { type: "bar" }, point: { type: "point", filled: true, size: 60, opacity: 0.85 },
    line: { type: "line", point: { size: 40 } } };
  const remark = heaped ? "Points and not bars: more than one row has the same place." : "";
  const drawing = {
    data: { values },
    description: `Chart of the result: ${column(y).name} by ${column(x).name}` +
      `${color === null ? "" : `, coloured by ${column(color).name}`}${left}`,
    width: "container",
    height: flat ? lines * (encoding.yOffset ? 14 * groups + 10 : 24) : 300,
    mark: marks[mark] ?? marks.point,
    encoding,
    config: look.config,
  };
  return { drawing, remark };
}
