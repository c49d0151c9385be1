// A page: fetches the map beside it and leaves what came out where the test finds it.
import { mapExample, mapInThreads } from './scenario.js';

const violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
try {
  const bytes = new Uint8Array(await (await fetch('./osdmap')).arrayBuffer());
  const mapped = mapExample(bytes);
  globalThis.outcome = { mapped, threads: await mapInThreads(bytes), violations };
} catch (error) {
  globalThis.outcome = { mapped: String(error.stack), threads: '', violations };
}
