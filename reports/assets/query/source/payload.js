// Compressed bytes. A server sends them as a file. A page that was opened from a disk (file://) may not
// fetch files, but may load scripts: for it the same bytes stand in parts, as base64.
const local = location.protocol === "file:";
const arrived = new Map();

// each part calls this with its text
window.diskbenchPart = (name, text) => arrived.get(name)?.(text);

function loadScript(url) {
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

/** The packed bytes, as a stream; `progress` hears the share of them that is here. */
async function packed({ folder, parts, bytes, stamp }, name, progress) {
  let here = 0;
  if (local) {
    const names = Array.from({ length: parts }, (_, i) => `${name}-${String(i).padStart(2, "0")}`);
    const chunks = names.map(async (one) => {
      const chunk = await part(folder, one, stamp);
      progress((here += 1) / parts);
      return chunk;
    });
    return new Blob(await Promise.all(chunks)).stream();
  }
  const answer = await fetch(`${folder}/${name}.bin?v=${stamp}`).catch(() => null);
  if (!answer?.ok) throw new Error(`${folder}/${name}.bin could not be loaded`);
  const counting = new TransformStream({
    transform(chunk, to) {
      progress((here += chunk.length) / bytes);
      to.enqueue(chunk);
    },
  });
  return answer.body.pipeThrough(counting);
}

/**
 * What `reader` makes of a stream of the bytes that are packed as `name`.
 *
 * `where` says where: `folder`, `parts` (scripts), `bytes` (of the file), `stamp`, the same as long
 * as they are.
 */
export async function read(where, name, reader, progress = () => {}) {
  const stream = await packed(where, name, progress);
  try {
    return await reader(stream.pipeThrough(new DecompressionStream("gzip")));
  } catch (error) {
    throw new Error(`${where.folder}/${name} broke off or is damaged: ${error.message}`);
  }
}

/** All bytes of a stream. */
export async function whole(stream) {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
