/** OSDs as buttons that lead to the hierarchy. */
import { ITEM_NONE } from '../../../src/crush/model.ts';
import { route } from '../app/route.ts';
import './osd-set.css';

/** One OSD, or what a rule gives in its place: a bucket, or nothing. */
export function OsdButton({
  osd,
  isShort = false,
  isTabStop = true,
}: {
  readonly osd: number;
  /** Only its number, for rows of many. */
  readonly isShort?: boolean;
  readonly isTabStop?: boolean;
}) {
  if (osd === ITEM_NONE || osd === -1) return <span class="quiet">none</span>;
  const name = osd < 0 ? `bucket ${osd}` : `osd.${osd}`;
  return (
    <button
      type="button"
      class="osd"
      aria-label={name}
      title={`${name}: show in the hierarchy`}
      tabIndex={isTabStop ? 0 : -1}
      onClick={(event) => {
        event.stopPropagation();
        route.go('hierarchy', { item: String(osd) });
      }}
    >
      {isShort && osd >= 0 ? osd : name}
    </button>
  );
}

/** A set of OSDs in its order. Of a set in a table, no OSD stops the tab key: there would be hundreds. */
export function OsdSet({
  osds,
  isShort = false,
  isTabStop = true,
}: {
  readonly osds: readonly number[];
  readonly isShort?: boolean;
  readonly isTabStop?: boolean;
}) {
  if (osds.length === 0) return <span class="quiet">no OSD</span>;
  return (
    <span class="osd-set">
      {osds.map((osd, place) => (
        <OsdButton key={`${place}:${osd}`} osd={osd} isShort={isShort} isTabStop={isTabStop} />
      ))}
    </span>
  );
}
