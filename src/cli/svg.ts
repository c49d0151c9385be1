/** Pieces of SVG that charts are made of. */

/** A number as charts need it: two decimals at most. */
export function svgNumber(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Text for XML; characters that XML has no place for become question marks. */
export function svgText(content: string): string {
  return content
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
