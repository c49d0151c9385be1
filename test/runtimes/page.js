// A page: fetches the map beside it and leaves what came out where the test finds it.
import { mapExample, mapInThreads, readText } from './scenario.js';

const violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  violations.push(`${event.effectiveDirective} ${event.blockedURI}`);
});
const outcome = { isolated: globalThis.crossOriginIsolated, violations };
try {
  const bytes = new Uint8Array(await (await fetch('./osdmap')).arrayBuffer());
  outcome.mapped = mapExample(bytes);
  outcome.text = await readText();
  outcome.threads = await mapInThreads(bytes);
} catch (error) {
  outcome.mapped = String(error.stack);
}
globalThis.outcome = outcome;
