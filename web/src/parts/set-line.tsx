/** A line of a list of sets. */
import { OsdSet } from './osd-set.tsx';
import './set-line.css';

/** A set with its primary. */
export function SetLine({
  title,
  osds,
  primary,
}: {
  readonly title: string;
  readonly osds: readonly number[];
  readonly primary?: number;
}) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <OsdSet osds={osds} />
        {primary !== undefined && (
          <span class="quiet"> {primary < 0 ? 'no primary' : <>primary osd.{primary}</>}</span>
        )}
      </dd>
    </div>
  );
}
