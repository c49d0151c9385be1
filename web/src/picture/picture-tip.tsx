/** What is told of a row beside the pointer, or beside the active box. */
import type { HierarchyRows } from '../worker/topics/hierarchy.ts';

type Facts = readonly (readonly [string, string])[];

const TIP_WIDTH = 240;

/** The box with a row's name and facts. Screen readers have it from {@link tipText}. */
export function PictureTip({
  rows,
  row,
  x,
  y,
  stage,
  facts,
}: {
  readonly rows: HierarchyRows;
  readonly row: number;
  readonly x: number;
  readonly y: number;
  readonly stage: { readonly width: number; readonly height: number };
  readonly facts: Facts;
}) {
  const isLeft = x + 16 + TIP_WIDTH > stage.width;
  const isUpper = y > stage.height / 2;
  return (
    <div
      class="picture-tip"
      aria-hidden="true"
      style={{
        ...(isLeft ? { right: `${Math.max(0, stage.width - x + 12)}px` } : { left: `${x + 16}px` }),
        ...(isUpper ? { bottom: `${stage.height - y + 8}px` } : { top: `${y + 8}px` }),
        maxWidth: `${Math.min(TIP_WIDTH, isLeft ? Math.max(150, x - 12) : TIP_WIDTH)}px`,
      }}
    >
      <strong>{rows.names[row]}</strong>
      <dl>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The same in one line. */
export function tipText(rows: HierarchyRows, row: number, facts: Facts): string {
  return [rows.names[row] ?? '', ...facts.map(([label, value]) => `${label} ${value}`)].join(', ');
}
