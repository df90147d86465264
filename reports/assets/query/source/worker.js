// Stands before DuckDB's own worker. It takes the engine's bytes by message, because a page from a
// disk may not fetch them, and it keeps the worker from asking any address but the database's.
const engine = new Promise((resolve) => {
  addEventListener("message", function first(event) {
    if (!event.data?.diskbenchEngine) return;
    removeEventListener("message", first);
    event.stopImmediatePropagation();
    resolve(event.data.diskbenchEngine);
  });
});

const refuse = (url) => {
  throw new Error(`this page asks no other address, so not ${url}`);
};

globalThis.fetch = async (request) => {
  const url = String(request.url ?? request);
  if (url !== DISKBENCH_ENGINE) refuse(url);
  return new Response(await engine, { headers: { "Content-Type": "application/wasm" } });
};

const open = XMLHttpRequest.prototype.open;
XMLHttpRequest.prototype.open = function (method, url, ...rest) {
  if (String(url) !== DISKBENCH_DATABASE) refuse(url);
  return open.call(this, method, url, ...rest);
};
globalThis.importScripts = refuse;
globalThis.WebSocket = refuse;
// an error in a query goes to the page; it is none of the page's own
console.log = console.error = () => {};
