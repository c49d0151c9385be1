/** CRC-32C against published values, itself, and a bit-by-bit reckoning. */
import { describe, expect, it } from 'vitest';
import { crc32c } from '../src/formats/crc32c.ts';
import { Random } from './random.ts';

const ascii = (text: string) => new TextEncoder().encode(text);

describe('crc32c', () => {
  it('gives the check value of the CRC catalogue, and those of RFC 3720 B.4, once inverted', () => {
    const standard = (bytes: Uint8Array) => ~crc32c(-1, bytes) >>> 0;
    expect(standard(ascii('123456789'))).toBe(0xe3069283);
    expect(standard(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(standard(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
    expect(standard(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
    expect(standard(Uint8Array.from({ length: 32 }, (_, i) => 31 - i))).toBe(0x113fdb5c);
  });

  it('keeps the seed for no bytes', () => {
    expect(crc32c(-1, new Uint8Array(0))).toBe(0xffffffff);
    expect(crc32c(1234, new Uint8Array(0))).toBe(1234);
  });

  it('agrees with bit-by-bit division at every length and split', () => {
    const random = new Random(1);
    const bytes = Uint8Array.from({ length: 70 }, () => random.below(256));
    for (let length = 0; length <= bytes.length; length++) {
      const part = bytes.subarray(0, length);
      expect(crc32c(-1, part)).toBe(bitByBit(part));
      const split = random.below(length + 1);
      expect(crc32c(crc32c(-1, part.subarray(0, split)), part.subarray(split))).toBe(bitByBit(part));
    }
  });
});

function bitByBit(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return crc >>> 0;
}
