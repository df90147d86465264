// The rows of a query, kept as a table inside the engine: DuckDB itself sorts them, counts them and
// writes every value as text, so that a time, a list or a big number reads as it does in DuckDB.
import { message, refusal, split, wrapping } from "./statements.js";

const TABLE = "memory.main._result"; // where `show tables` does not look
const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const TIME = /^(DATE|TIMESTAMP.*)$/;

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
const kind = (type) => (NUMBER.test(type) ? "number" : TIME.test(type) ? "time" : "text");

/** Rows of an Arrow table whose columns are all text. */
function texts(table) {
  const columns = table.schema.fields.map((_, at) => table.getChildAt(at));
  return Array.from({ length: table.numRows }, (_, row) => columns.map((column) => column.get(row)));
}

/** What an earlier run has left is gone: its rows, a transaction that failed, another schema. */
async function clear(engine) {
  const drop = `drop table if exists ${TABLE}`;
  await engine.query(drop).catch(async () => {
    await engine.query("rollback");
    await engine.query(drop);
  });
  await engine.query("use diskbench");
}

/** Run what a person wrote; the last statement's rows are the result. */
export async function run(engine, text) {
  const statements = split(text);
  if (!statements.length) throw new Error("There is nothing to run: write a query first.");
  const began = performance.now();
  await clear(engine);
  for (const [number, statement] of statements.entries()) {
    const refused = refusal(statement);
    if (refused) throw new Error(refused);
    const around = number === statements.length - 1 ? wrapping(statement) : null;
    try {
      if (around) {
        await engine.query(`create table ${TABLE} as ${around[0]}\n${statement}\n${around[1]}`);
      } else {
        const table = await engine.query(statement);
        if (number === statements.length - 1) return plain(table, performance.now() - began);
      }
    } catch (error) {
      throw new Error(message(error, around ? 1 : 0), { cause: error });
    }
  }
  const milliseconds = performance.now() - began;
  const described = texts(await engine.query(`select column_name, column_type from (describe ${TABLE})`));
  const counted = await engine.query(`select count(*)::double as rows from ${TABLE}`);
  const columns = described.map(([name, type]) => ({ name, type, kind: kind(type) }));
  return {
    columns,
    rows: counted.getChildAt(0).get(0),
    milliseconds,
    /** The first rows as text, sorted by a column where one is named. */
    page: async (limit, by = null, descending = false) => {
      const order = by === null ? "" : `order by ${quoted(columns[by].name)} ${descending ? "desc" : "asc"} nulls last`;
      return texts(await engine.query(`select columns(*)::varchar from (from ${TABLE} ${order} limit ${limit})`));
    },
    /** All rows as CSV, as DuckDB's own `copy ... to` writes it. */
    csv: async () => {
      const all = await engine.query(`select columns(*)::varchar from ${TABLE}`);
      return [columns.map(({ name }) => name), ...texts(all)].map(line).join("");
    },
    /** Some columns for a chart: numbers as numbers, times as milliseconds since 1970 (UTC). */
    values: async (places, limit) => {
      if (!places.length) return [];
      const one = (place) => {
        const column = quoted(columns[place].name);
        if (columns[place].kind === "number") return `${column}::double`;
        return columns[place].kind === "time" ? `epoch_ms(${column}::timestamp)::double` : `${column}::varchar`;
      };
      const list = places.map((place, at) => `${one(place)} as c${at}`).join(", ");
      return texts(await engine.query(`select ${list} from ${TABLE} limit ${limit}`));
    },
  };
}

/** What a statement says that has no rows to keep, as `explain` and `pragma`. */
function plain(table, milliseconds) {
  const columns = table.schema.fields.map(({ name }) => ({ name, type: "VARCHAR", kind: "text" }));
  const rows = texts(table).map((row) => row.map((value) => (value === null ? null : String(value))));
  return {
    columns,
    rows: rows.length,
    milliseconds,
    page: async (limit) => rows.slice(0, limit),
    csv: async () => [columns.map(({ name }) => name), ...rows].map(line).join(""),
    values: async (places, limit) => rows.slice(0, limit).map((row) => places.map((place) => row[place])),
    fixed: true, // cannot be sorted
  };
}

function line(values) {
  const one = (value) => {
    if (value === null) return "";
    return value === "" || /[",\n\r]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  };
  return `${values.map(one).join(",")}\n`;
}
