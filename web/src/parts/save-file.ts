/** Files that the page makes. */

/** Time that browsers take to begin a download. */
const UNTIL_READ = 60_000;

/** Lets the browser save a file. It is made here, and goes nowhere else. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), UNTIL_READ);
}
