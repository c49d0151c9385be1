/** The summary's panels of the CRUSH map. */
import type { CrushFacts } from '../../../../src/analysis/map-facts.ts';
import { count, counted } from '../../parts/format.ts';
import type { TunableFact } from '../../worker/topics/summary.ts';
import { FactPanel, GoTo, type Fact } from './fact-list.tsx';

/** Devices, buckets, classes and rules. */
export function CrushPanel({ crush }: { readonly crush: CrushFacts }) {
  const list: Fact[] = [
    ['devices', `${count(crush.devices)} in buckets`],
    ['classes', crush.classes.size === 0 ? 'none' : <Tally tally={crush.classes} find="class" />],
    ['buckets', count(crush.buckets)],
    ['of types', crush.byType.size === 0 ? 'none' : <Tally tally={crush.byType} find="type" />],
    [
      'algorithms',
      [...crush.byAlgorithm].map(([name, number]) => `${count(number)} ${name}`).join(', ') || 'none',
    ],
    ['shadow buckets of classes', count(crush.shadowBuckets)],
    [
      'rules',
      crush.rules.length === 0 ? (
        'none: nothing can be placed'
      ) : (
        <>
          <GoTo view="pools" subjects={{}}>
            {count(crush.rules.length)}
          </GoTo>{' '}
          ({crush.rules.map(({ id, name }) => name || String(id)).join(', ')})
        </>
      ),
    ],
    [
      'choose_args',
      crush.chooseArgs.length === 0
        ? 'none'
        : crush.chooseArgs.map((index) => (index === -1 ? 'compat weight-set' : `pool ${index}`)).join(', '),
    ],
  ];
  return <FactPanel id="crush" title="CRUSH map" facts={list} />;
}

/** What shapes placement beyond the plain rules. */
export function FeaturesPanel({ features }: { readonly features: readonly string[] }) {
  return (
    <FactPanel id="features" title="What shapes placement beyond rules and weights" facts={[]}>
      {features.length === 0 ? (
        <p>Nothing.</p>
      ) : (
        <ul class="summary-features">
          {features.map((feature) => (
            <li key={feature}>{feature}</li>
          ))}
        </ul>
      )}
    </FactPanel>
  );
}

/** The tunables, the odd ones pointed out. */
export function TunablesPanel({
  profile,
  tunables,
}: {
  readonly profile: string | undefined;
  readonly tunables: readonly TunableFact[];
}) {
  const odd = tunables.filter(({ usual }) => usual !== undefined);
  return (
    <FactPanel
      id="tunables"
      title="Tunables"
      facts={[
        ['profile', profile ?? 'none that has a name'],
        ['other than optimal', odd.length === 0 ? 'none' : counted(odd.length, 'tunable')],
      ]}
    >
      <table class="summary-tunables">
        <tbody>
          {[...odd, ...tunables.filter(({ usual }) => usual === undefined)].map(({ name, value, usual }) => (
            <tr key={name}>
              <th scope="row" class="mono">
                {name}
              </th>
              <td class="number">{value}</td>
              <td>{usual !== undefined && <span class="summary-odd">optimal: {usual}</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </FactPanel>
  );
}

/** Numbers of things by name; a click finds them in the hierarchy. */
function Tally({
  tally,
  find,
}: {
  readonly tally: ReadonlyMap<string, number>;
  readonly find: 'class' | 'type';
}) {
  return (
    <>
      {[...tally].map(([name, number], i) => (
        <span key={name}>
          {i > 0 && ', '}
          <GoTo view="hierarchy" subjects={{ find: `${find}:${name}` }}>
            {count(number)} {name}
          </GoTo>
        </span>
      ))}
    </>
  );
}
