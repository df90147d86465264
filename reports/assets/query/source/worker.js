// Stands before DuckDB's own worker. It takes the engine by message, compiled while it arrived, and
// keeps the worker from asking any address.
const engine = new Promise((resolve) => {
  addEventListener("message", function first(event) {
    if (!event.data?.diskbenchEngine) return;
    removeEventListener("message", first);
    event.stopImmediatePropagation();
    resolve(event.data.diskbenchEngine);
  });
});
WebAssembly.instantiateStreaming = async (_, imports) => {
  const module = await engine;
  return { module, instance: await WebAssembly.instantiate(module, imports) };
};

const refuse = (url) => {
  throw new Error(`this page asks no other address, so not ${url}`);
};

globalThis.fetch = async (request) => {
  const url = String(request.url ?? request);
  if (url !== DISKBENCH_ENGINE) refuse(url);
  return new Response(""); // what it would be compiled from, were it not compiled already
};

XMLHttpRequest.prototype.open = (_, url) => refuse(url);
globalThis.importScripts = refuse;
globalThis.WebSocket = refuse;
// what goes wrong is told on the page; none of it is an error of the page's own
console.log = console.warn = console.error = () => {};
