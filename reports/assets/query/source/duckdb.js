// DuckDB in a worker of its own, with the site's database attached. Loaded when first needed.
import * as duckdb from "@duckdb/duckdb-wasm";
import prelude from "./worker.js" with { type: "text" };
import { MARKS, choose, specification } from "./chart.js";
import { read, whole } from "./payload.js";
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
 * `site` says where things are, relative to the page: `engine`, `database` (see payload.js).
 * `progress` hears a word for the step and, where it is known, the share of it that is done.
 */
async function start(site, progress = () => {}) {
  if (typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined") {
    throw new Error("this browser is too old for the SQL engine; one of the last three years will do");
  }
  parts ??= load(site, progress);
  try {
    return await started(parts, progress);
  } catch (error) {
    parts = undefined;
    throw error;
  }
}

async function started(loading, progress) {
  const code = await loading.code;
  const head = `const DISKBENCH_ENGINE = ${JSON.stringify(ADDRESS)};\n`;
  const script = URL.createObjectURL(new Blob([head, prelude, "\n", code], { type: "text/javascript" }));
  const worker = new Worker(script);
  try {
    const db = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), worker);
    const given = loading.engine.then((engine) => {
      progress("Starting the engine");
      worker.postMessage({ diskbenchEngine: engine });
    });
    await Promise.all([given, db.instantiate(ADDRESS)]); // it waits for the engine
    const database = await loading.database;
    await db.open({ path: ":memory:" });
    await db.registerFileBuffer(NAME, database.slice());
    const connection = await db.connect();
    for (const statement of CLOSED) await connection.query(statement);
    return { query: (sql) => connection.query(sql), stop: () => worker.terminate() };
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    // not before: WebKit may fetch the script later than the worker is made
    URL.revokeObjectURL(script);
  }
}

/** Promises of the worker's code, of the engine and of the database's bytes. */
function load({ engine, database }, progress) {
  const share = (done) => progress("Loading the engine", done);
  const text = async (stream) => new TextDecoder().decode(await whole(stream));
  const typed = { headers: { "Content-Type": "application/wasm" } };
  const compiled = (stream) => WebAssembly.compileStreaming(new Response(stream, typed));
  const loading = {
    code: read({ ...engine, parts: 1 }, "worker", text),
    engine: read(engine, "engine", compiled, share), // while it arrives, once for all workers
    database: read(database, "diskbench", whole),
  };
  Promise.all(Object.values(loading)).catch(() => {}); // each is awaited later, and fails there
  return loading;
}

window.diskbenchEngine = { start, run, drawTable, choose, specification, MARKS, SHOWN };
