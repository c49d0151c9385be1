// As page.js with the entry that carries no kernel: the page fetches it as a file, and the workers get it from the page.
import { init } from 'crush-wasm/slim';
import kernel from 'crush-wasm/crush-simd.wasm?url';

await init(fetch(kernel));
await import('./page.js');
