// DuckDB in a worker of its own, with the site's database attached. Loaded when first needed.
import * as duckdb from "@duckdb/duckdb-wasm";
import prelude from "./worker.js" with { type: "text" };
import { MARKS, choose, specification } from "./chart.js";
import { local, read, whole } from "./payload.js";
import { run } from "./results.js";
import { SHOWN, drawTable } from "./table.js";

const ADDRESS = "diskbench:engine"; // the one address that the worker's fetch answers
const NAME = "diskbench.duckdb";
// a compressed database of as many bytes is loaded whole, before the first query; it is about as much
// as the engine itself, and one of five Macs takes a third of it
const WHOLE_BYTES = 8_000_000;
// of a larger one, parts of the file where the server sends parts, the whole of it where it does not
const FILES = { reliableHeadRequests: true, allowFullHTTPReads: true, forceFullHTTPReads: false };
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
 * `site` says where things are, relative to the page: `engine`, `database` (see payload.js), and
 * `database.url`, the file itself.
 * `progress` hears a word for the step and, where it is known, the share of it that is done.
 */
async function start(site, progress = () => {}) {
  if (typeof DecompressionStream === "undefined" || typeof WebAssembly === "undefined") {
    throw new Error("this browser is too old for the SQL engine; one of the last three years will do");
  }
  parts ??= load(site, progress);
  try {
    return await started(parts, site.database, progress);
  } catch (error) {
    parts = undefined;
    throw error;
  }
}

async function started(loading, where, progress) {
  const code = await loading.code;
  const url = loading.database ? null : new URL(`${where.url}?v=${where.stamp}`, document.baseURI).href;
  const head = `const DISKBENCH_ENGINE = ${JSON.stringify(ADDRESS)}, DISKBENCH_DATABASE = ${JSON.stringify(url)};\n`;
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
    await db.open({ path: ":memory:", filesystem: FILES });
    if (database) await db.registerFileBuffer(NAME, database.slice());
    else await db.registerFileURL(NAME, url, duckdb.DuckDBDataProtocol.HTTP, false);
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

/** Promises of the worker's code, of the engine and of the database's bytes, none if it is not taken whole. */
function load({ engine, database }, progress) {
  const share = (done) => progress("Loading the engine", done);
  const text = async (stream) => new TextDecoder().decode(await whole(stream));
  const typed = { headers: { "Content-Type": "application/wasm" } };
  const compiled = (stream) => WebAssembly.compileStreaming(new Response(stream, typed));
  const small = local || database.bytes <= WHOLE_BYTES;
  const loading = {
    code: read({ ...engine, parts: 1 }, "worker", text),
    engine: read(engine, "engine", compiled, share), // while it arrives, once for all workers
    database: small ? read(database, "diskbench", whole) : null,
  };
  Promise.all(Object.values(loading)).catch(() => {}); // each is awaited later, and fails there
  return loading;
}

window.diskbenchEngine = { start, run, drawTable, choose, specification, MARKS, SHOWN };
