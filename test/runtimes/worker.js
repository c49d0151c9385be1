// An edge worker: answers a map with what came out.
import { mapExample, mapInThreads, readText } from './scenario.js';

async function answer(request) {
  const bytes = new Uint8Array(await request.arrayBuffer());
  const mapped = mapExample(bytes);
  return Response.json({ mapped, text: await readText(), threads: await mapInThreads(bytes) });
}

export default { fetch: answer };
