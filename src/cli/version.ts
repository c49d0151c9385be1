/** The package's version, for `--version`. */
import { readFileSync } from 'node:fs';

/** Where package.json lies: seen from the sources, and from dist/src/cli. */
const CANDIDATES = ['../../package.json', '../../../package.json'];

/** Version of the package, such as `0.1.0`. */
export function packageVersion(): string {
  for (const candidate of CANDIDATES) {
    try {
      const text = readFileSync(new URL(candidate, import.meta.url), 'utf8');
      const { name, version } = JSON.parse(text) as { name?: string; version?: string };
      if (name === 'crush-wasm' && version !== undefined) return version;
    } catch {
      // Not there; the next one is.
    }
  }
  return 'unknown';
}
