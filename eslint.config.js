import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['**/dist', 'build', 'coverage', 'src/kernel/kernel-bytes.ts', 'src/kernel/kernel-id.ts']),
  {
    files: ['src/**/*.ts', 'web/**/*.{ts,tsx}', 'test/**/*.ts', 'bench/**/*.ts', 'examples/**/*.ts', '*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Name every export.' },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allowArray: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['test/**/*.ts', 'web/test/**/*.ts', 'bench/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['vitest.config.ts', 'web/*.config.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    // Which way imports run: formats know the models; the kernel knows the flat map; commands know all.
    files: ['src/crush/**', 'src/formats/**', 'src/kernel/**', 'src/osdmap/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['**/cli/**'], message: 'The library does not know its commands.' }] },
      ],
    },
  },
  {
    files: ['src/crush/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/cli/**', '**/osdmap/**', '**/kernel/**', '**/formats/**'],
              message: 'crush/ is the lowest layer.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/kernel/**', 'src/formats/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/cli/**', '**/osdmap/pg-*', '!**/osdmap/pg-usage.ts', '**/osdmap/object-*'],
              message: 'Imports run one way: osdmap -> kernel -> crush.',
            },
          ],
        },
      ],
    },
  },
  {
    // AssemblyScript: TypeScript's syntax with decorators where TypeScript has none, and types of its own.
    files: ['assembly/**/*.ts'],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { allowInvalidAST: true } },
    rules: {
      'no-debugger': 'error',
      'no-unreachable': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-self-compare': 'error',
      'no-duplicate-imports': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Name every export.' },
      ],
    },
  },
  {
    files: ['scripts/**/*.mjs', 'bench/**/*.mjs', 'eslint.config.js'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', URL: 'readonly', performance: 'readonly' },
    },
    rules: { 'no-undef': 'error', 'no-unused-vars': 'error', 'prefer-const': 'error' },
  },
  {
    // What runs in every runtime, and what runs them.
    files: ['test/runtimes/*.{mjs,js}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['process', 'console', 'URL', 'Request', 'Response', 'fetch', 'document', 'performance'],
          ...['setTimeout', 'clearTimeout', 'WebAssembly', 'TextEncoder', 'location', 'navigator'],
          ...['XMLHttpRequest', 'WebSocket', 'EventSource', 'Image'],
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'no-undef': 'error', 'no-unused-vars': 'error', 'prefer-const': 'error' },
  },
  {
    // What embedders copy: Node, browsers and edge runtimes.
    files: ['examples/**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['process', 'console', 'URL', 'URLSearchParams', 'Response', 'TextDecoder', 'TextEncoder'],
          ...['setTimeout', 'clearTimeout', 'performance', 'document', 'crypto', 'fetch', 'Buffer'],
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'no-undef': 'error', 'no-unused-vars': 'error', 'prefer-const': 'error' },
  },
);
