/** The problems of a map: by severity, then by code, with ways to the places. */
import { useState } from 'preact/hooks';
import type { ProblemSeverity } from '../../../../src/crush/validate.ts';
import { documentOpen } from '../../app/document.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count, counted } from '../../parts/format.ts';
import type { WorkerData } from '../../parts/use-worker-data.ts';
import type { PageProblem } from '../../worker/topics/problems.ts';
import { GoTo } from './fact-list.tsx';

const SEVERITIES: readonly (readonly [ProblemSeverity, string, string])[] = [
  ['error', 'Errors', 'PGs cannot be placed as the map says, or Ceph refuses it'],
  ['warning', 'Warnings', 'data lies elsewhere than weights and rules ask, or will with the next failure'],
  ['note', 'Notes', 'nothing is wrong now'],
];

/** Problems of one code that are shown at first, and how many more at a time. */
const FEW = 5;
const MORE = 200;

/** All problems. */
export function Problems({ problems }: { readonly problems: WorkerData<readonly PageProblem[]> }) {
  const { data, error, isWaiting } = problems;
  return (
    <section class="panel problems" aria-labelledby="problems-title">
      <h3 id="problems-title">{data === undefined ? 'Problems' : titleOf(data)}</h3>
      {error && <ErrorNote error={error} title="The map cannot be checked" />}
      {data === undefined && isWaiting && <p role="status">Checking the map …</p>}
      {SEVERITIES.map(([severity, title, meaning]) => {
        const some = data?.filter((problem) => problem.severity === severity) ?? [];
        if (some.length === 0) return null;
        return (
          <section
            key={severity}
            class={`severity severity-${severity}`}
            aria-labelledby={`${severity}-title`}
          >
            <h4 id={`${severity}-title`}>
              {title} ({count(some.length)}) <span class="quiet">{meaning}</span>
            </h4>
            {groupsOf(some).map(([code, group]) => (
              <ProblemGroup key={code} code={code} problems={group} />
            ))}
          </section>
        );
      })}
    </section>
  );
}

function ProblemGroup({
  code,
  problems,
}: {
  readonly code: string;
  readonly problems: readonly PageProblem[];
}) {
  const [limit, setLimit] = useState(FEW);
  const rest = problems.length - limit;
  return (
    <div class="problem-group">
      <p class="problem-code">
        <code>{code}</code>
        {problems.length > 1 && <span class="quiet"> {count(problems.length)} times</span>}
      </p>
      <ul>
        {problems.slice(0, limit).map((problem, i) => (
          <li key={i}>
            <Place problem={problem} />: {problem.message}
            <span class="cure">Cure: {problem.cure}</span>
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" onClick={() => setLimit(limit + MORE)}>
          Show {count(Math.min(rest, MORE))} more{rest > MORE && ` of ${count(rest)}`}
        </button>
      )}
    </div>
  );
}

/** Where a problem lies: a way to the item, or to the pool or rule, where it has one. */
function Place({ problem }: { readonly problem: PageProblem }) {
  const { item, where, place } = problem;
  if (item !== undefined) {
    return (
      <GoTo view="hierarchy" subjects={{ item: String(item) }}>
        {where}
      </GoTo>
    );
  }
  if (place.pool !== undefined && documentOpen.value?.isMadeUp !== true) {
    return (
      <GoTo view="pools" subjects={{ pool: String(place.pool) }}>
        {where}
      </GoTo>
    );
  }
  if (place.rule !== undefined) {
    return (
      <GoTo view="pools" subjects={{ rule: String(place.rule) }}>
        {where}
      </GoTo>
    );
  }
  return <strong>{where}</strong>;
}

function titleOf(problems: readonly PageProblem[]): string {
  if (problems.length === 0) return 'No problems found';
  const parts = SEVERITIES.flatMap(([severity]) => {
    const number = problems.filter((problem) => problem.severity === severity).length;
    return number === 0 ? [] : [counted(number, severity)];
  });
  return `Problems: ${parts.join(', ')}`;
}

function groupsOf(problems: readonly PageProblem[]): (readonly [string, PageProblem[]])[] {
  const groups = new Map<string, PageProblem[]>();
  for (const problem of problems) {
    const group = groups.get(problem.code);
    if (group === undefined) groups.set(problem.code, [problem]);
    else group.push(problem);
  }
  return [...groups];
}
