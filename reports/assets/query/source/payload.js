// Bytes that arrive as scripts: gzip, then base64, in parts. A page that was opened from a disk
// (file://) may not fetch files, but may load scripts; a page from a server may do both, and so
// takes the same way.
const arrived = new Map();

// each part calls this with its text
window.diskbenchPart = (name, text) => arrived.get(name)?.(text);

export function loadScript(url) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => resolve(script.remove());
    script.onerror = () => reject(new Error(`${url.replace(/[?].*/, "")} could not be loaded`));
    document.head.append(script);
  });
}

async function part(folder, name, stamp) {
  let text;
  arrived.set(name, (given) => (text = given));
  await loadScript(`${folder}/${name}.js?v=${stamp}`);
  arrived.delete(name);
  if (text === undefined) throw new Error(`${folder}/${name}.js is damaged`);
  return decoded(text);
}

function decoded(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The bytes behind `parts` scripts; `progress` hears the share of them that is here. */
export async function payload(folder, name, parts, stamp, progress = () => {}) {
  let here = 0;
  const names = Array.from({ length: parts }, (_, i) => `${name}-${String(i).padStart(2, "0")}`);
  const chunks = await Promise.all(
    names.map(async (one) => {
      const bytes = await part(folder, one, stamp);
      here += 1;
      progress(here / parts);
      return bytes;
    }),
  );
  const whole = new Blob(chunks).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(whole).arrayBuffer());
}
