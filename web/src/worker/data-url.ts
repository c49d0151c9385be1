/** Data that is part of the page's code, as base64 data URLs. */

/** The bytes of a base64 data URL; fetching it would be a connection. */
export function bytesOfDataUrl(url: string): Uint8Array<ArrayBuffer> {
  const text = atob(url.slice(url.indexOf(',') + 1));
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
