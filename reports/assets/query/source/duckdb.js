// DuckDB in a worker of its own, with the site's database attached. Loaded when first needed.
import * as duckdb from "@duckdb/duckdb-wasm";
import prelude from "./worker.js?text";
import { MARKS, choose, specification } from "./chart.js";
import { payload } from "./payload.js";
import { run } from "./results.js";
import { SHOWN, drawTable } from "./table.js";

const ADDRESS = "diskbench:engine"; // the one address that the worker's fetch answers
const NAME = "diskbench.duckdb";
// nothing is read but the database, and nothing is fetched
const CLOSED = [
  "set autoinstall_known_extensions = false",
  "set autoload_known_extensions = false",
  `attach '${NAME}' as diskbench (read_only)`,
  "use diskbench",
  "set enable_external_access = false",
  "set lock_configuration = true",
];

let parts; // what was loaded, kept for the next start: an engine is stopped by ending its worker

/**
 * A running engine.
 *
 * `site` says where things are: `engine: {folder, parts, stamp}` and
 * `database: {url, folder, parts, stamp}`, all relative to the page.
 * `progress` hears a word for the step and, where it is known, the share of it that is done.
 */
async function start(site, progress = () => {}) {
  if (typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined") {
    throw new Error("this browser is too old for the SQL engine; one of the last three years will do");
  }
  parts ??= load(site, progress).catch((error) => {
    parts = undefined;
    throw error;
  });
  const { code, engine, database } = await parts;
  progress("Starting the engine");
  const { database: where } = site;
  const url = database ? null : new URL(`${where.url}?v=${where.stamp}`, document.baseURI).href;
  const head = `const DISKBENCH_ENGINE = ${JSON.stringify(ADDRESS)}, DISKBENCH_DATABASE = ${JSON.stringify(url)};\n`;
  const script = URL.createObjectURL(new Blob([head, prelude, "\n", code], { type: "text/javascript" }));
  const worker = new Worker(script);
  URL.revokeObjectURL(script);
  try {
    worker.postMessage({ diskbenchEngine: engine });
    const db = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), worker);
    await db.instantiate(ADDRESS);
    await db.open({ path: ":memory:", filesystem: { allowFullHTTPReads: true } });
    if (database) await db.registerFileBuffer(NAME, database.slice());
    else await db.registerFileURL(NAME, url, duckdb.DuckDBDataProtocol.HTTP, false);
    const connection = await db.connect();
    for (const statement of CLOSED) await connection.query(statement);
    return { query: (sql) => connection.query(sql), stop: () => worker.terminate() };
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

async function load(site, progress) {
  const { engine, database } = site;
  const share = (done) => progress("Loading the engine", done);
  const local = location.protocol === "file:";
  const [code, bytes, file] = await Promise.all([
    payload(engine.folder, "worker", 1, engine.stamp),
    payload(engine.folder, "engine", engine.parts, engine.stamp, share),
    local ? payload(database.folder, "diskbench", database.parts, database.stamp) : null,
  ]);
  return { code: new TextDecoder().decode(code), engine: bytes.buffer, database: file };
}

window.diskbenchEngine = { start, run, drawTable, choose, specification, MARKS, SHOWN };
