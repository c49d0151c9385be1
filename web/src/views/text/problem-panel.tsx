/** What is wrong with the text, as a list that leads to the lines. */
import { counted } from '../../parts/format.ts';
import { checked, isChecking } from './text-state.ts';

/** Problems that are listed; all are marked in the text. */
const MOST = 100;

/** The list. */
export function ProblemPanel({ onShow }: { readonly onShow: (offset: number) => void }) {
  const result = checked.value?.result;
  if (result === undefined) return <p class="quiet">Checking …</p>;
  const { error, problems } = result;
  if (error !== undefined) {
    const { line, column } = error.place;
    const where =
      line === undefined ? '' : `Line ${line}${column === undefined ? '' : `, column ${column}`}: `;
    return (
      <p class="error" role="alert">
        {where}
        {error.message}{' '}
        <button type="button" onClick={() => onShow(error.at)}>
          Show
        </button>
      </p>
    );
  }
  if (problems.length === 0) return <p class="quiet">No problems found.</p>;
  const counts = (['error', 'warning', 'note'] as const)
    .map((severity) => [severity, problems.filter((each) => each.severity === severity).length] as const)
    .filter(([, found]) => found > 0)
    .map(([severity, found]) => counted(found, severity));
  return (
    <details class="text-problems" open={problems.some(({ severity }) => severity === 'error')}>
      <summary>
        <span role="status">
          {counts.join(', ')}
          {isChecking.value ? ' (of the text before)' : ''}
        </span>
      </summary>
      <ul>
        {problems.slice(0, MOST).map(({ severity, message, at }, i) => (
          <li key={i} class={severity}>
            <strong>{severity}</strong>{' '}
            {at < 0 ? (
              message
            ) : (
              <button type="button" class="link" onClick={() => onShow(at)}>
                {message}
              </button>
            )}
          </li>
        ))}
        {problems.length > MOST && (
          <li class="quiet">and {problems.length - MOST} more, marked in the text</li>
        )}
      </ul>
    </details>
  );
}
