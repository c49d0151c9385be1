/** Names of objects, which are bytes and need not be text. */
import { CrushError } from '../../../../../src/errors.ts';
import type { NameBytes } from '../../../../../src/osdmap/object-hash.ts';

/**
 * A name in which `\xNN` stands for a byte and `\\` for a backslash; all else is UTF-8.
 *
 * @throws CrushError `bad-argument` for a backslash before anything else
 */
export function unescapeName(text: string): NameBytes {
  if (!text.includes('\\')) return text;
  const encoder = new TextEncoder();
  const bytes: number[] = [];
  const pieces = /\\x([0-9a-f]{2})|\\\\|([^\\]+)|\\/giy;
  for (let match = pieces.exec(text); match !== null; match = pieces.exec(text)) {
    const [piece, digits, plain] = match;
    if (digits !== undefined) bytes.push(parseInt(digits, 16));
    else if (plain !== undefined) bytes.push(...encoder.encode(plain));
    else if (piece === '\\\\') bytes.push(0x5c);
    else {
      const rest = text.slice(match.index, match.index + 4);
      throw new CrushError(
        'bad-argument',
        `'${rest}' is no escape: a byte is \\xNN with two hexadecimal digits, a backslash is \\\\`,
      );
    }
  }
  return new Uint8Array(bytes);
}
