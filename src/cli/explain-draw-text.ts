/** A draw from a bucket as one line, and as a table of all its items. */
import type { BucketDraw } from '../analysis/explain.ts';
import { tableLines } from './table.ts';

/** A draw as one line: what was drawn, by which numbers, and what came next. */
export function drawLine(draw: BucketDraw, width: number): string {
  const what = `${draw.bucket.name} > ${draw.item.name}`.padEnd(width);
  return `${what}  r ${draw.r}  ${numbersText(draw)}`;
}

function numbersText(draw: BucketDraw): string {
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

/** A line for each item that was drawn for, each node that was passed, each swap; none where they were not recorded. */
export function drawTable(draw: BucketDraw): string[] {
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
      return rows === undefined ? [] : tableLines(['ID', 'ITEM', '', 'U', 'LN', 'WEIGHT', 'DRAW', ''], rows);
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
      return rows === undefined ? [] : tableLines(['ID', 'ITEM', 'U', 'STRAW', 'DRAW', ''], rows);
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
      return rows === undefined ? [] : tableLines(['ID', 'ITEM', 'U', 'OF', 'DRAW', 'WEIGHT', ''], rows);
    }
    case 'tree':
      return draw.turns.length === 0
        ? []
        : tableLines(
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
      return rows === undefined || rows.length === 0
        ? []
        : tableLines(['PLACE', 'HASH', 'SWAPPED WITH'], rows);
    }
  }
}

function weightText(weight: number): string {
  return (weight / 0x10000).toFixed(5);
}

function drawText(draw: number | null): string {
  return draw === null ? 'none (weight 0)' : String(draw);
}

function hexText(hash: number): string {
  return `0x${hash.toString(16).padStart(8, '0')}`;
}
