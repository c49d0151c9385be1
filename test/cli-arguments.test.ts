import { describe, expect, test } from 'vitest';
import { atof, intOfDouble, stod, stoi } from '../src/cli/c-numbers.ts';
import { CephArguments } from '../src/cli/ceph-arguments.ts';
import { takeRelease } from '../src/cli/release-option.ts';

test('hyphens and underscores are the same after the first two characters', () => {
  for (const given of ['--test-map-pgs', '--test_map_pgs', '--test-map_pgs']) {
    const args = new CephArguments([given, 'file']);
    let taken = false;
    expect(args.flag(['--test-map-pgs'], () => (taken = true))).toBe(true);
    expect([taken, args.rest]).toEqual([true, ['file']]);
  }
  expect(new CephArguments(['__test']).flag(['--test'], () => undefined)).toBe(false);
});

test('values come after = or as the next argument', () => {
  for (const given of [['--infn=a-b=c'], ['--infn', 'a-b=c']]) {
    let value = '';
    expect(new CephArguments(given).text(['-i', '--infn'], (text) => (value = text))).toBe(true);
    expect(value).toBe('a-b=c');
  }
});

describe('integers', () => {
  function complaintOf(...given: string[]): { value: number | undefined; complaint: string } {
    const args = new CephArguments(given);
    let value: number | undefined;
    expect(args.integer(['--x'], (parsed) => (value = parsed))).toBe(true);
    try {
      args.failOnComplaint();
    } catch (error) {
      return { value, complaint: (error as Error).message };
    }
    return { value, complaint: '' };
  }

  // As Ceph's tools complain; the tests of the drop-ins hold them against the originals.
  test.each([
    [['--x', '5'], 5, ''],
    [['--x=-5'], -5, ''],
    [['--x', '-'], 1, 'Missing option value\n'],
    [['--x', '+5'], 1, "The option value '+5' is invalid\n"],
    [['--x', '--y'], 1, 'Missing option value\n'],
    [['--x', '5a'], 1, "The option value '5a' is invalid\n"],
    [['--x', '1.5'], 0, "Expected option value to be integer, got '1.5'\n"],
    [['--x', '.'], 0, "Expected option value to be integer, got '.'\n"],
    [['--x='], 0, "Expected option value to be integer, got ''\n"],
    [['--x', '2147483648'], 0, "The option value '2147483648' seems to be invalid\n"],
    [['--x', '99999999999999999999'], 0, "The option value '99999999999999999999' seems to be invalid\n"],
    [['--x'], undefined, 'Option --x requires an argument.\n\n'],
  ])('%j', (given, value, complaint) => {
    expect(complaintOf(...given)).toEqual({ value, complaint });
  });
});

test('-- ends the options', () => {
  const args = new CephArguments(['--', '--x']);
  expect(args.doubleDash()).toBe(true);
  expect(args.rest).toEqual(['--x']);
});

test.each([
  ['0.5', 0.5],
  ['0.3x', 0.3],
  ['  -1e1z', -10],
  ['.5', 0.5],
  ['x', 0],
  ['', 0],
  ['inf', Infinity],
  ['-INFINITYx', -Infinity],
  ['nano', NaN],
  ['0x1', 1],
  ['0x0.8p0', 0.5],
  ['-0X.8P+2z', -2],
  ['0x1p', 1],
  ['0x', 0],
  ['0xg', 0],
  ['1e', 1],
  ['0x1.00000000000008p0', 1], // halfway between two doubles: to even
  ['0x1.000000000000081p0', 1 + 2 ** -52],
  ['0x1p-1080', 0],
  ['0x1p1024', Infinity],
  [`0x${'0'.repeat(300)}1p2`, 4],
  [`0x1${'0'.repeat(300)}p-1200`, 1],
])('atof(%j)', (text, value) => {
  expect(atof(text)).toBe(value);
});

// As osdmaptool 16.2.15 takes the values of --mark-up and --mark-out.
test.each([
  ['0x3', 3, 0],
  ['1e1', 10, 1],
  [' \t+3.9', 3.9, 3],
  ['-1', -1, -1],
  ['0x1p1', 2, 0],
  ['', 'invalid', 'invalid'],
  ['x', 'invalid', 'invalid'],
  ['inf', Infinity, 'invalid'],
  ['2147483648', 2147483648, 'out-of-range'],
  ['1e400', 'out-of-range', 1],
  ['1e-400', 'out-of-range', 1],
  ['1e-310', 'out-of-range', 1],
  ['0e-400', 0, 0],
])('stod(%j), stoi', (text, asDouble, asInteger) => {
  expect([stod(text), stoi(text)]).toEqual([asDouble, asInteger]);
});

test.each([
  [3.9, 3],
  [-3.9, -3],
  [2147483648, -2147483648],
  [-1e20, -2147483648],
  [NaN, -2147483648],
])('a double as an int: %j', (value, int) => {
  expect(intOfDouble(value)).toBe(int);
});

test('--as-release is taken out wherever it stands', () => {
  expect(takeRelease(['a', '--as-release', '16', 'b'])).toEqual({
    release: 16,
    isGiven: true,
    rest: ['a', 'b'],
  });
  expect(takeRelease(['--as_release=18', 'b'])).toEqual({ release: 18, isGiven: true, rest: ['b'] });
  expect(takeRelease(['b']).release).toBeGreaterThanOrEqual(20);
  expect(takeRelease(['b']).isGiven).toBe(false);
  expect(() => takeRelease(['--as-release'])).toThrow();
  expect(() => takeRelease(['--as-release=x'])).toThrow();
});

test('floats are digits and a point, in the range of a float', () => {
  const valueOf = (text: string): { value: number | undefined; complaints: string } => {
    const args = new CephArguments(['--ratio', text]);
    let value: number | undefined;
    args.float(['--ratio'], (parsed) => (value = parsed));
    return { value, complaints: args.complaints };
  };
  expect(valueOf('0.1')).toEqual({ value: Math.fround(0.1), complaints: '' });
  expect(valueOf('-.5')).toEqual({ value: -0.5, complaints: '' });
  expect(valueOf('1.')).toEqual({ value: 1, complaints: '' });
  expect(valueOf('1e5').complaints).toBe("The option value '1e5' is invalid");
  expect(valueOf('.').complaints).toBe("strict_strtof: expected float, got: '.'");
  const small = `0.${'0'.repeat(40)}1`;
  expect(valueOf(small).complaints).toBe(
    `strict_strtof: floating point overflow or underflow parsing '${small}'`,
  );
});
