import { describe, expect, test } from 'vitest';
import { formatDouble, formatFloat, formatVector, formatWeight } from '../src/cli/iostream-format.ts';
import { formatPgId } from '../src/osdmap/pg-text.ts';

describe('formatDouble prints as std::cout does', () => {
  // The expected text is what printf's %g prints, and so a C++ stream.
  test.each([
    [0, '0'],
    [-0, '-0'],
    [1, '1'],
    [10, '10'],
    [100000, '100000'],
    [999999, '999999'],
    [999999.5, '1e+06'],
    [1000000, '1e+06'],
    [1234567, '1.23457e+06'],
    [0.1, '0.1'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [0.00001234565, '1.23456e-05'],
    [1 / 3, '0.333333'],
    [2 / 3, '0.666667'],
    [123456.5, '123456'],
    [123457.5, '123458'],
    [100000.5, '100000'],
    [0.5, '0.5'],
    [-2.5, '-2.5'],
    [1e100, '1e+100'],
    [5e-324, '4.94066e-324'],
    [1.7976931348623157e308, '1.79769e+308'],
    [0.349991, '0.349991'],
    [0.1000005, '0.100001'],
    [9.999995, '10'],
    [9.999999, '10'],
    [NaN, '-nan'],
    [Infinity, 'inf'],
    [-Infinity, '-inf'],
  ])('%d', (value, text) => {
    expect(formatDouble(value)).toBe(text);
  });
});

test('formatFloat rounds to 32 bits first', () => {
  expect(formatFloat(0.95)).toBe('0.95');
  expect(formatFloat(16777217)).toBe('1.67772e+07');
  expect(formatFloat(1e-50)).toBe('0');
});

test('formatWeight divides by 0x10000', () => {
  expect(formatWeight(0x10000)).toBe('1');
  expect(formatWeight(22937)).toBe('0.349991');
  expect(formatWeight(0xffffffff)).toBe('65536');
});

test('vectors and PG ids', () => {
  expect(formatVector([])).toBe('[]');
  expect(formatVector([3, 2147483647, 1])).toBe('[3,2147483647,1]');
  expect(formatPgId(4, 0x1f)).toBe('4.1f');
  expect(formatPgId(4, -1)).toBe('4.ffffffff');
});
