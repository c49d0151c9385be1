import { Problem } from './problem.js';

const utf8 = new TextEncoder();
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/**
 * The parameters of a URL, as bytes: names of objects need not be UTF-8, and `URLSearchParams` would put other bytes
 * in the place of those that are not, which gives another PG.
 *
 * @param {string} search - what follows the path, with its `?`
 * @param {readonly string[]} known - names that may be there, each once
 * @returns {Map<string, Uint8Array>}
 * @throws {Problem} 400; a name that is misspelt would else give a wrong answer without a word
 */
export function parseQuery(search, known) {
  const parameters = new Map();
  for (const part of search.slice(1).split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = textOf(decode(equals < 0 ? part : part.slice(0, equals)), 'the name of a parameter');
    if (!known.includes(name)) {
      throw new Problem(400, 'bad-argument', `there is no parameter '${name}', only ${known.join(', ')}`);
    }
    if (parameters.has(name)) {
      throw new Problem(400, 'bad-argument', `the parameter ${name} is there more than once`);
    }
    parameters.set(name, decode(equals < 0 ? '' : part.slice(equals + 1)));
  }
  return parameters;
}

/**
 * Bytes as text.
 *
 * @param {string} what - what they are, for the error
 * @throws {Problem} 400 for bytes that are not UTF-8
 */
export function textOf(bytes, what) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Problem(400, 'bad-argument', `${what} is not UTF-8`);
  }
}

/** What is percent-encoded; `+` stands for a space, as in forms. */
function decode(text) {
  const encoded = utf8.encode(text);
  const bytes = new Uint8Array(encoded.length);
  let length = 0;
  for (let at = 0; at < encoded.length; at++) {
    let byte = encoded[at];
    if (byte === PERCENT) {
      const digits = String.fromCharCode(...encoded.subarray(at + 1, at + 3));
      if (!/^[0-9a-f]{2}$/i.test(digits)) {
        throw new Problem(400, 'bad-argument', `'%${digits}' is no percent-encoded byte; a % itself is %25`);
      }
      byte = Number.parseInt(digits, 16);
      at += 2;
    } else if (byte === PLUS) {
      byte = SPACE;
    }
    bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}
