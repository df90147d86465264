// node build.mjs FOLDER: everything of the page query that comes from npm's packages, as plain
// scripts that work from any server, and from a disk without one.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import esbuild from "esbuild";

const PART = 1_500_000; // characters of base64 in a script, a multiple of 4: each is decoded by itself
const folder = process.argv[2];
const here = import.meta.dirname;
const find = createRequire(import.meta.url);

/** Bytes packed as payload.js reads them: a file, and scripts that hand themselves to `diskbenchPart`. */
function pack(name, content) {
  const packed = gzipSync(content, { level: 9 });
  // no name that a server knows: some say of .gz that the browser is to unpack it
  writeFileSync(join(folder, `${name}.bin`), packed);
  const text = packed.toString("base64");
  const count = Math.ceil(text.length / PART);
  for (let i = 0; i < count; i++) {
    const part = `${name}-${String(i).padStart(2, "0")}`;
    const script = `diskbenchPart("${part}","${text.slice(i * PART, (i + 1) * PART)}");\n`;
    writeFileSync(join(folder, `${part}.js`), script);
  }
  return { parts: count, bytes: packed.length };
}

/** The licences of all packages that went into the bundles. */
function licences(inputs) {
  const packages = new Set(["@duckdb/duckdb-wasm"]);
  for (const input of inputs) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(input);
    if (found) packages.add(found[1]);
  }
  return [...packages].sort().map((name) => {
    const root = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const file = readdirSync(root).find((one) => /^licen[cs]e(\.\w+)?$/i.test(one));
    const text = file ? readFileSync(join(root, file), "utf8").trim() : "";
    return `${name} ${version}: ${license}\n\n${text}\n`;
  });
}

mkdirSync(folder, { recursive: true });
const { metafile } = await esbuild.build({
  entryPoints: [join(here, "source/duckdb.js"), join(here, "source/editor.js")],
  outdir: folder,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  metafile: true,
  logLevel: "error",
});
const dist = dirname(find.resolve("@duckdb/duckdb-wasm/dist/duckdb-eh.wasm"));
const worker = readFileSync(join(dist, "duckdb-browser-eh.worker.js"), "utf8");
pack("worker", Buffer.from(worker.replace(/\n\/\/# sourceMappingURL.*\s*$/, "\n")));
const packed = pack("engine", readFileSync(join(dist, "duckdb-eh.wasm")));
writeFileSync(join(folder, "licences.txt"), licences(Object.keys(metafile.inputs)).join("\n\n"));
writeFileSync(join(folder, "engine.json"), JSON.stringify(packed) + "\n");
