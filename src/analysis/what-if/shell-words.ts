/** Words of Ceph's commands as a shell takes them. */
import { WEIGHT_ONE } from '../../crush/model.ts';

/** A word as a shell takes it. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!HAS_CONTROL.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  // Control characters could command the terminal that they are pasted into.
  return `"$(printf '${word.replaceAll('%', '%%').replace(OCTAL, octal)}')"`;
}

/**
 * The shortest text of a 16.16 weight that Ceph reads as that: it multiplies 32-bit floats, and cuts.
 */
export function weightText(fixed: number): string {
  for (let digits = 0; digits <= 16; digits++) {
    const text = (fixed / WEIGHT_ONE).toFixed(digits);
    for (const each of [text, (Number(text) + 10 ** -digits).toFixed(digits)]) {
      if (Math.trunc(Math.fround(Math.fround(Number(each)) * WEIGHT_ONE)) === fixed) return trimmed(each);
    }
  }
  return String(fixed / WEIGHT_ONE);
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** One line of a comment: it must not end where a name has a line feed. */
export function commentLine(text: string): string {
  return `# ${text.replace(CONTROLS, '?')}`;
}

const HAS_CONTROL = /[\x00-\x1f\x7f-\x9f]/;
const CONTROLS = /[\x00-\x1f\x7f-\x9f]/g;
const OCTAL = /[\x00-\x1f\x7f-\x9f'\\]/g;

function octal(sign: string): string {
  return [...new TextEncoder().encode(sign)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
