/** What a picture's colours and marks mean. */
import type { PictureMark } from './paint.ts';
import './legend.css';

/** A colour or mark, and its meaning. */
export interface LegendEntry {
  /** A CSS colour. */
  readonly colour: string;
  readonly mark?: PictureMark;
  readonly words: string;
  /** How many there are, as text. */
  readonly count?: string;
}

/** The marks that pictures have unless a view brings its own. */
export const USUAL_MARKS: readonly LegendEntry[] = [
  { colour: 'var(--ground)', mark: 'crossed', words: 'down, or not in the OSDMap' },
  { colour: 'var(--ground)', mark: 'hatched', words: 'out' },
];

/** A list of colours with their meaning. */
export function Legend({
  label,
  entries,
}: {
  readonly label: string;
  readonly entries: readonly LegendEntry[];
}) {
  return (
    <ul class="legend" aria-label={label}>
      {entries.map(({ colour, mark, words, count }) => (
        <li key={words}>
          <span
            class={mark === undefined ? 'legend-box' : `legend-box ${mark}`}
            style={{ backgroundColor: colour }}
            aria-hidden="true"
          />
          {words}
          {count !== undefined && <span class="quiet"> {count}</span>}
        </li>
      ))}
    </ul>
  );
}
