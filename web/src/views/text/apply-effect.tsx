/** What applying the text would move. */
import { count, counted, percent } from '../../parts/format.ts';
import { route } from '../../app/route.ts';
import { isPageError } from '../../worker/page-error.ts';
import { checked, isChecking, isDirty, moves } from './text-state.ts';
import { documentOpen } from '../../app/document.ts';

/** One line, which screen readers are told. */
export function ApplyEffect() {
  return (
    <p class="apply-effect" role="status">
      <Words />
    </p>
  );
}

function Words() {
  if (!isDirty.value) {
    if (documentOpen.value?.isChanged !== true) return null;
    return (
      <>
        The open map is changed.{' '}
        <button type="button" class="link" onClick={() => route.go('compare')}>
          Compare it with what was read
        </button>
      </>
    );
  }
  if (isChecking.value) return <>Checking …</>;
  if (checked.value?.result.error !== undefined)
    return <>The text cannot be read yet; see the error below.</>;
  const found = moves.value?.result;
  if (found === undefined) return <>Computing what applying this moves …</>;
  if (isPageError(found)) return <>What applying this moves cannot be computed: {found.text}</>;
  if (found.differences === 0 && found.movedShards === 0) {
    return <>Applying this changes nothing{found.isRounded && ' but the last decimals of weights'}.</>;
  }
  const changes =
    found.differences === 0
      ? 'the last decimals of weights'
      : counted(found.differences, 'property', 'properties');
  if (found.movedShards === 0) return <>Applying this changes {changes} and moves nothing.</>;
  return (
    <>
      Applying this changes {changes} and moves{' '}
      <strong>{percent(found.shards === 0 ? 0 : found.movedShards / found.shards)} of shards</strong>:{' '}
      {count(found.movedShards)} of {count(found.shards)}, in {counted(found.movedPgs, 'PG')}
      {found.shortPgs > 0 && `; ${counted(found.shortPgs, 'PG')} then have too few OSDs`}.
    </>
  );
}
