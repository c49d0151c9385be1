// When a runtime has passed: it maps what osdmaptool maps, its threads do what is known of the runtime, and a page keeps
// to its policy.
import { readFileSync } from 'node:fs';

const FIXTURE = new URL('../fixtures/cluster-8osd/', import.meta.url);
const golden = readFileSync(new URL('test-map-pgs-dump-all.txt', FIXTURE), 'utf8')
  .split('\n')
  .filter((line) => /^\d+\.[0-9a-f]+ raw/.test(line))
  .join('\n');

/** Throws what is wrong with what came out of a scenario. */
export function demandRight({ mapped, text, threads, violations = [] }, expectedThreads) {
  if (violations.length > 0) throw new Error(`against the policy: ${violations.join(', ')}`);
  if (mapped !== golden) throw new Error(`it mapped otherwise: ${mapped.slice(0, 400)}`);
  if (text !== 'yes') throw new Error(`a map in text: ${text}`);
  if (threads !== expectedThreads) throw new Error(`threads: ${threads}, not ${expectedThreads}`);
}
