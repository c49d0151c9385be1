import { defineConfig, type Plugin } from 'vite';
import { packedKernel } from './packed-kernel.ts';

/**
 * What the built page may do: run its own code and the kernel, and nothing else. `connect-src 'none'` is the proof
 * that no byte of a user's map leaves the browser; examples therefore are part of the code.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');

/** Puts the policy into the built page; the development server needs inline styles and a socket of its own. */
function contentSecurityPolicy(): Plugin {
  return {
    name: 'content-security-policy',
    apply: 'build',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY },
        injectTo: 'head-prepend',
      },
    ],
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the built files work under any path.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [contentSecurityPolicy(), packedKernel()],
  build: {
    outDir: '../build/web',
    emptyOutDir: true,
    target: 'es2022',
    // Preloading by fetch would be a connection.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  worker: { format: 'es', plugins: () => [packedKernel()] },
  preview: { port: 4173 },
});
