// Pages that must fail, so that passing says something.
import { createServer } from 'node:http';
import { listening, visit } from './browser.mjs';
import { demandRight } from './outcome.mjs';
import { buildSite } from './pages.mjs';

/** Each gives the words by which it fails. */
export const CONTROLS = [
  {
    name: "a policy without 'wasm-unsafe-eval'",
    async run(project) {
      const site = await buildSite('import map', project);
      const { outcome } = await visit(site, { policy: (text) => text.replace("'wasm-unsafe-eval'", '') });
      if (!/CrushError: .*the policy of the page has to allow it/s.test(outcome.mapped))
        throw new Error(`it gave ${outcome.mapped}`);
      return failureOf(outcome);
    },
  },
  {
    name: 'a policy that allows no workers',
    async run(project) {
      const site = await buildSite('import map', project);
      const { outcome } = await visit(site, {
        policy: (text) => text.replace("worker-src 'self'", "worker-src 'none'"),
      });
      return failureOf(outcome);
    },
  },
  {
    name: 'requests to another address',
    async run(project) {
      const site = await buildSite('import map', project);
      const asked = [];
      const other = createServer((request, response) => {
        asked.push(request.url);
        response.end();
      });
      const elsewhere = await listening(other);
      try {
        const { outcome } = await visit(site, { path: `leaking-page.html?elsewhere=${elsewhere}` });
        if (asked.length > 0) throw new Error(`the policy let through ${asked.join(', ')}`);
        const reported = outcome.violations.filter((each) => each.includes('-src'));
        const seen = reported.map((each) => each.split(' ')[0]).sort();
        const expected = [...Array(5).fill('connect-src'), 'img-src', 'script-src-elem', 'style-src-elem'];
        if (seen.join() !== expected.join()) throw new Error(`seen were ${outcome.violations.join(', ')}`);
        return failureOf(outcome);
      } finally {
        other.close();
      }
    },
  },
  {
    name: 'the same where nothing forbids them',
    async run(project) {
      const site = await buildSite('import map', project);
      const other = createServer((_, response) => response.end());
      const elsewhere = await listening(other);
      try {
        const { outcome } = await visit(site, {
          path: `leaking-page.html?elsewhere=${elsewhere}`,
          policy: () => undefined,
        });
        return failureOf(outcome);
      } finally {
        other.closeAllConnections();
        other.close();
      }
    },
  },
];

/** By which words an outcome fails; throws if it does not. */
function failureOf(outcome) {
  try {
    demandRight(outcome, 'copied');
  } catch (error) {
    return error.message;
  }
  throw new Error('it passed');
}
