// An edge worker: answers a map with what came out.
import { mapExample, mapInThreads } from './scenario.js';

async function answer(request) {
  const bytes = new Uint8Array(await request.arrayBuffer());
  const mapped = mapExample(bytes);
  return Response.json({ mapped, threads: await mapInThreads(bytes) });
}

export default { fetch: answer };
