/** Numbers written as bytes are those that strings of them would have. */
import { expect, test } from 'vitest';
import { asciiBytes, ByteText } from '../src/cli/byte-text.ts';
import { TextSinks, type TextOutput } from '../src/cli/io.ts';
import { Random } from './random.ts';

const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000);

/** Numbers about every power of 10 and of 2, and random ones. */
function numbers(): number[] {
  const random = new Random(SEED);
  const powers = Array.from({ length: 10 }, (_, i) => 10 ** i).concat(
    Array.from({ length: 32 }, (_, i) => 2 ** i),
  );
  const near = powers.flatMap((power) => [power - 1, power, power + 1]);
  return [...near, ...Array.from({ length: 2000 }, () => random.below(2 ** 32))].filter((n) => n < 2 ** 32);
}

function written(write: (text: ByteText) => void): string {
  const text = new ByteText();
  write(text);
  return new TextDecoder().decode(text.bytes);
}

test(`decimal and hexadecimal, CRUSH_FUZZ_SEED=${SEED}`, () => {
  for (const value of numbers()) {
    expect(written((text) => text.decimal(value))).toBe(String(value));
    expect(written((text) => text.decimal(-value))).toBe(String(0 - value));
    expect(written((text) => text.hexadecimal(value))).toBe(value.toString(16));
  }
});

test('room is made, and what was there stays', () => {
  const all = numbers();
  const text = written((bytes) => {
    for (let round = 0; round < 40; round++) {
      for (const value of all) {
        bytes.reserve(1, 1);
        bytes.decimal(value);
        bytes.addByte(10);
      }
    }
  });
  expect(text.length).toBeGreaterThan(1 << 19);
  expect(text).toBe(
    all
      .map((value) => `${value}\n`)
      .join('')
      .repeat(40),
  );
});

test('what was written is repeated', () => {
  const text = written((bytes) => {
    bytes.add(asciiBytes('osd.'));
    bytes.decimal(12);
    bytes.repeat(0, bytes.length);
    bytes.repeat(4, 6);
  });
  expect(text).toBe('osd.12osd.1212');
});

test('bytes and text go out in the order in which they came, and before the bytes are used again', async () => {
  const outputs = { stdout: '', stderr: '' };
  const together: string[] = [];
  const output = (name: 'stdout' | 'stderr'): TextOutput => ({
    isTerminal: false,
    columns: 80,
    write: (part) => {
      const text = typeof part === 'string' ? part : new TextDecoder().decode(part);
      outputs[name] += text;
      together.push(text);
      return Promise.resolve();
    },
  });
  const sinks = new TextSinks({
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdinIsTerminal: true,
    readStdin: () => Promise.resolve(new Uint8Array(0)),
  });
  const bytes = asciiBytes('one\n');
  sinks.out.add('head\n');
  sinks.out.addBytes(bytes);
  await sinks.out.relieve();
  bytes.set(asciiBytes('two'));
  sinks.err.add('note\n');
  sinks.out.addBytes(bytes);
  sinks.out.add('foot\n');
  await sinks.out.relieve();
  sinks.out.add('end\n');
  await sinks.out.relieve();
  expect(outputs.stdout).toBe('head\none\ntwo\nfoot\n');
  await sinks.flush();
  expect(together).toEqual(['head\n', 'one\n', 'note\n', 'two\n', 'foot\n', 'end\n']);
});
