/*
 * What a mapping has looked at: every draw, with what would change it, and devices found out. From it src/ tells which
 * mappings a change of the map can concern.
 */
import { map } from './context';
import { E_LIMIT, E_R, E_ROW, E_SECOND, E_SOURCE, E_WINNER, ENTRY_WORDS } from './layout';

/** Address of the next entry; 0 when nothing is traced. */
export let trace: usize = 0;
/** Whether devices that are good are noted as well. */
export let tracesAll: bool = false;
let traceEnd: usize = 0;
let overflow: bool = false;
let row: i32 = 0;

/** Takes up the room for entries (0: none is kept). */
export function enterTrace(at: usize, end: usize, all: bool): void {
  trace = at;
  traceEnd = end;
  tracesAll = all;
  overflow = false;
}

/** The end of the entries written, or -1 when there was no room for all. */
export function tracedTo(): i32 {
  return overflow ? -1 : <i32>trace;
}

/** Names the mapping that what follows belongs to. */
// @ts-ignore: decorator
@inline
export function traceRow(number: i32): void {
  row = number;
}

/** Notes a draw from the lane table or bucket at `source`. */
export function traceDraw(source: usize, r: i32, winner: i32, limit: f32, second: f32): void {
  traceDrawOf(row, source, r, winner, limit, second);
}

export function traceDrawOf(owner: i32, source: usize, r: i32, winner: i32, limit: f32, second: f32): void {
  if (trace + (ENTRY_WORDS << 2) > traceEnd) {
    overflow = true;
    return;
  }
  store<i32>(trace, <i32>((source - map) >> 2), E_SOURCE << 2);
  store<i32>(trace, owner, E_ROW << 2);
  store<i32>(trace, r, E_R << 2);
  store<i32>(trace, winner, E_WINNER << 2);
  store<f32>(trace, limit, E_LIMIT << 2);
  store<f32>(trace, second, E_SECOND << 2);
  trace += ENTRY_WORDS << 2;
}

/** Notes a device that was looked at. */
export function traceDevice(device: i32): void {
  traceDraw(map, device, -1, Infinity, 0);
}
