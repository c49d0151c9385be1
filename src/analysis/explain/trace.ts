/**
 * What an explanation is made of: plain data, in the order in which things happen. Weights are 16.16 fixed point, as
 * the map has them (65536 is 1.0), sets hold 2147483647 (ITEM_NONE) for a hole.
 */
export type * from './trace-draws.ts';
export type * from './trace-pg.ts';
export type * from './trace-rule.ts';
