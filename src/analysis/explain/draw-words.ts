/** The words for a draw from a bucket: by which numbers an item was drawn, and what was drawn for the others. */
import type { BucketDraw } from './trace.ts';
import { fixedText as weightText } from './words.ts';

/** A table of what a draw was made of. */
export interface DrawTable {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** By which numbers an item was drawn, and what came next, as one line. */
export function drawNumbers(draw: BucketDraw): string {
  switch (draw.method) {
    case 'straw2': {
      const { winner, runnerUp, weightSet } = draw;
      const hashed = winner.hashedId === winner.id ? '' : `  hashed as ${winner.hashedId}`;
      const weights = weightSet === undefined ? '' : ` (weight set ${weightSet})`;
      const next =
        runnerUp === undefined ? 'the only item' : `before ${runnerUp.name} ${drawText(runnerUp.draw)}`;
      return `draw ${drawText(winner.draw)} (u ${winner.u}, weight ${weightText(winner.weight)}${weights})${hashed}  ${next}`;
    }
    case 'straw': {
      const { winner, runnerUp } = draw;
      const next = runnerUp === undefined ? 'the only item' : `before ${runnerUp.name} ${runnerUp.draw}`;
      return `straw ${winner.draw} (u ${winner.u} x ${winner.straw})  ${next}`;
    }
    case 'list': {
      const { winner, asked, byDefault, size } = draw;
      const compared = `${weightText(winner.draw)} ${byDefault ? 'not ' : ''}below weight ${weightText(winner.weight)}`;
      const how = byDefault
        ? 'none is, so the first of the list'
        : `item ${asked} asked of ${size}, from the end`;
      return `${compared} (u ${winner.u} of ${weightText(winner.sumWeight)})  ${how}`;
    }
    case 'tree': {
      const turns = draw.turns.map(({ turn }) => turn).join(', ');
      return turns === '' ? 'the only item' : `turns ${turns}`;
    }
    case 'permutation': {
      const { place, size, swap } = draw;
      const how =
        swap === undefined ? 'the last that is left' : `hash ${hexText(swap.hash)} brings ${swap.with} there`;
      return `place ${place} of a permutation of ${size}, ${how}`;
    }
  }
}

/** A row for each item that was drawn for, each node that was passed, each swap; undefined where they were not recorded. */
export function drawTable(draw: BucketDraw): DrawTable | undefined {
  switch (draw.method) {
    case 'straw2': {
      const rows = draw.all?.map((each) => [
        each.id,
        each.name,
        ...(each.hashedId === each.id ? [''] : [`as ${each.hashedId}`]),
        each.u,
        each.ln,
        weightText(each.weight),
        each.draw ?? 'none',
        each.id === draw.item.id ? 'taken' : '',
      ]);
      return tableOf(['ID', 'ITEM', '', 'U', 'LN', 'WEIGHT', 'DRAW', ''], rows);
    }
    case 'straw': {
      const rows = draw.all?.map((each) => [
        each.id,
        each.name,
        each.u,
        each.straw,
        each.draw,
        each.id === draw.item.id ? 'taken' : '',
      ]);
      return tableOf(['ID', 'ITEM', 'U', 'STRAW', 'DRAW', ''], rows);
    }
    case 'list': {
      const rows = draw.all?.map((each) => [
        each.id,
        each.name,
        each.u,
        weightText(each.sumWeight),
        weightText(each.draw),
        weightText(each.weight),
        each.id === draw.item.id ? 'taken' : '',
      ]);
      return tableOf(['ID', 'ITEM', 'U', 'OF', 'DRAW', 'WEIGHT', ''], rows);
    }
    case 'tree':
      return tableOf(
        ['NODE', 'HASH', 'OF', 'POINT', 'LEFT', 'TURN'],
        draw.turns.map((each) => [
          each.node,
          hexText(each.hash),
          weightText(each.weight),
          weightText(each.point),
          weightText(each.leftWeight),
          each.turn,
        ]),
      );
    case 'permutation': {
      const rows = draw.all?.map((each) => [each.place, hexText(each.hash), each.with]);
      return tableOf(['PLACE', 'HASH', 'SWAPPED WITH'], rows);
    }
  }
}

function tableOf(titles: readonly string[], rows: DrawTable['rows'] | undefined): DrawTable | undefined {
  return rows === undefined ? undefined : { titles, rows };
}

function drawText(draw: number | null): string {
  return draw === null ? 'none (weight 0)' : String(draw);
}

function hexText(hash: number): string {
  return `0x${hash.toString(16).padStart(8, '0')}`;
}
