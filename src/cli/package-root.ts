/** The package's own files: its version, the example map. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the package starts: seen from dist/, and from the sources. */
const CANDIDATES = ['../', '../../'];

/** Path of a file of the package, or undefined where it is not there. */
export function packageFile(name: string): string | undefined {
  for (const candidate of CANDIDATES) {
    const root = new URL(candidate, import.meta.url);
    if (!existsSync(new URL('package.json', root))) continue;
    const file = new URL(name, root);
    if (existsSync(file)) return fileURLToPath(file);
  }
  return undefined;
}

/** Version of the package, such as `0.1.0`. */
export function packageVersion(): string {
  const file = packageFile('package.json');
  if (file === undefined) return 'unknown';
  return (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version ?? 'unknown';
}
