// Empties dist/, so that a build has no files of sources that are gone.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist/', import.meta.url), { recursive: true, force: true });
