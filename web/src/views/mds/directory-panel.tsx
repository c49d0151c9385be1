/** The directories as a picture and as a tree, and the chosen one closely. */
import { useCallback, useMemo } from 'preact/hooks';
import { route } from '../../app/route.ts';
import { decimal, percent } from '../../parts/format.ts';
import { HierarchyPicture } from '../../picture/hierarchy-picture.tsx';
import { Legend } from '../../picture/legend.tsx';
import type { MdsDecision } from '../../worker/topics/mds/decision.ts';
import type { MdsPlan } from '../../worker/topics/mds/plan.ts';
import type { MdsTree } from '../../worker/topics/mds/tree.ts';
import { COLOURINGS, heatColouring, rankColouring, type Colouring } from './colouring.ts';
import { DirectoryDetail } from './directory-detail.tsx';
import { DirectoryTable } from './directory-table.tsx';
import { chosenPath } from './mds-state.ts';
import { rankName } from './rank-colours.ts';
import { decidedRanks, plannedRanks, rowsByPath } from './ranks.ts';

/** Id of the section, for what leads to it. */
export const DIRECTORIES_ID = 'mds-directories';

/** Chooses a directory, and brings the picture into sight. */
export function showDirectory(path: string): void {
  chosenPath.value = path;
  document.getElementById(DIRECTORIES_ID)?.scrollIntoView();
}

/** See the top of the file. */
export function DirectoryPanel({
  tree,
  decision,
  plan,
}: {
  readonly tree: MdsTree;
  readonly decision: MdsDecision | undefined;
  readonly plan: MdsPlan | undefined;
}) {
  const rows = useMemo(() => rowsByPath(tree), [tree]);
  const id = COLOURINGS.find(([each]) => each === route.display('mds-colour'))?.[0] ?? 'rank';
  const colouring = useMemo(() => colouringOf(), [id, tree, rows, decision, plan]);
  const selected = chosenPath.value === undefined ? -1 : (rows.get(chosenPath.value) ?? -1);
  const select = useCallback((row: number) => (chosenPath.value = tree.paths[row]), [tree]);
  const basics = useCallback((row: number) => basicsOf(tree, row), [tree]);
  return (
    <section class="panel" id={DIRECTORIES_ID} aria-labelledby="directories-title">
      <h3 id="directories-title">Directories by load</h3>
      <div class="toolbar">
        <label>
          Colour{' '}
          <select
            aria-label="Colour of directories"
            value={id}
            onChange={(event) => {
              const { value } = event.currentTarget;
              route.set('display', 'mds-colour', value === 'rank' ? undefined : value);
            }}
          >
            {COLOURINGS.map(([each, title]) => (
              <option key={each} value={each}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <span class="quiet">Areas: meta_load at the last beat, {rankWords(decision)}.</span>
      </div>
      <HierarchyPicture
        rows={tree}
        label="Directories, areas by load"
        noun="directory"
        colour={colouring.colour}
        marks={colouring.mark}
        value={colouring.value}
        basics={basics}
        measure="load"
        selected={selected}
        onSelect={select}
      />
      <Legend label="Colours and marks" entries={colouring.legend} />
      {selected >= 0 && <DirectoryDetail tree={tree} row={selected} />}
      <DirectoryTable tree={tree} selected={selected} onSelect={select} />
    </section>
  );

  function colouringOf(): Colouring {
    switch (id) {
      case 'rank':
        return rankColouring(tree, tree.ranks);
      case 'decision':
        return rankColouring(tree, decidedRanks(tree, rows, decision));
      case 'plan':
        return rankColouring(tree, plannedRanks(tree, plan));
      default:
        return heatColouring(tree, id);
    }
  }
}

/** Which ranks' counters are in the picture. */
function rankWords(decision: MdsDecision | undefined): string {
  const missing = (decision?.ranks ?? []).filter(({ hasCounters }) => !hasCounters);
  if (missing.length === 0) return 'on all ranks together';
  return `without ${missing.map(({ rank }) => rankName(rank)).join(', ')}, whose counters are not known`;
}

function basicsOf(tree: MdsTree, row: number): (readonly [string, string])[] {
  const all = tree.loads[0] ?? 0;
  const load = tree.loads[row] ?? 0;
  return [
    ['path', tree.paths[row] === '' ? '/' : (tree.paths[row] ?? '')],
    ['rank', rankName(tree.ranks[row] ?? -1)],
    ['meta_load', decimal(load)],
    ['of all', percent(all > 0 ? load / all : 0)],
    ...(tree.pins[row] === '' ? [] : [['pin', tree.pins[row] ?? ''] as const]),
  ];
}
