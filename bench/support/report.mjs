/** What a benchmark says: a table to read, and the same figures as JSON. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { QUICK, RESULTS, ROUNDS, SEED } from './settings.mjs';

/** The machine and the runtime, for the head of every result. */
export function machine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    v8: process.versions.v8,
  };
}

/**
 * Prints a table: numbers to the right, the rest to the left.
 *
 * @param columns - pairs of a heading and a function that gives a row's text
 */
export function printTable(title, columns, rows) {
  console.log(`\n${title}`);
  const table = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, text]) => String(text(row) ?? '-'))),
  ];
  const widths = columns.map((_, i) => Math.max(...table.map((cells) => cells[i].length)));
  const isNumber = columns.map((_, i) => table.slice(1).every((cells) => /^[-0-9.,x%~ ]*$/.test(cells[i])));
  for (const cells of table) {
    const padded = cells.map((cell, i) => (isNumber[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i])));
    console.log(`  ${padded.join('  ').trimEnd()}`);
  }
}

/** 12345.6 as "12,346", small numbers with enough digits. */
export function digits(value) {
  if (value === undefined || !Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}

/** A ratio: "5.93x". */
export function times(value) {
  return value === undefined || !Number.isFinite(value) ? '-' : `${value.toFixed(2)}x`;
}

/** Says that something was not measured, and gives the line for the JSON. */
export function skip(name, why) {
  console.log(`  skipped: ${name}: ${why}`);
  return { name, why };
}

/**
 * Writes a benchmark's figures to `RESULTS/NAME-seedN.json`.
 *
 * @returns the file's path
 */
export function writeResult(name, figures) {
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${name}-seed${SEED}.json`);
  const head = {
    benchmark: name,
    measured: new Date().toISOString(),
    machine: machine(),
    seed: SEED,
    rounds: ROUNDS,
    quick: QUICK,
  };
  writeFileSync(file, `${JSON.stringify({ ...head, ...figures }, rounded, 2)}\n`);
  console.log(`  written to ${file}`);
  return file;
}

/** Six digits say more than any of these figures mean. */
function rounded(_, value) {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}
