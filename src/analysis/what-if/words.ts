/** Changes as text: the reverse of `parseChanges`. */
import type { ChangeLocation, MapChange } from './changes.ts';

/**
 * A change in the words that `parseChanges` and `crush-wasm whatif` take. Names with blanks, commas or semicolons,
 * which only damaged maps have, stand as they are; a CRUSH map stands for its file as `FILE`.
 *
 * @example
 * ```ts
 * changeWords({ kind: 'reweight', targets: ['osd.3'], weight: 0.85 }); // 'reweight osd.3 0.85'
 * ```
 */
export function changeWords(change: MapChange): string {
  switch (change.kind) {
    case 'out':
    case 'in':
    case 'up':
    case 'down':
    case 'remove':
      return `${change.kind} ${change.targets.join(',')}`;
    case 'reweight':
    case 'primary-affinity':
      return `${change.kind} ${change.targets.join(',')} ${numberText(change.weight)}`;
    case 'crush-weight':
    case 'reweight-subtree':
      return `${change.kind} ${change.name} ${numberText(change.weight)}`;
    case 'add-osds': {
      const { osds, weight, deviceClass, location } = change;
      const classText = deviceClass === undefined ? '' : ` class=${deviceClass}`;
      return `add-osds ${osdRuns(osds)} weight=${numberText(weight)}${classText}${locationText(location)}`;
    }
    case 'add-bucket':
      return `add-bucket ${change.name} type=${change.type}${locationText(change.location ?? {})}`;
    case 'move':
      return `move ${change.names.join(',')}${locationText(change.location)}`;
    case 'device-class':
      return `class ${change.targets.join(',')} ${change.deviceClass ?? '-'}`;
    case 'pool':
      return `pool ${change.pool} ${change.field} ${change.value}`;
    case 'failure-domain':
      return `rule ${change.rule} failure-domain ${change.type}`;
    case 'tunables':
      return `tunables ${change.profile}`;
    case 'crushmap':
      return 'crushmap FILE';
    case 'upmap':
      return `upmap ${pgText(change.pg)} ${change.osds.join(',')}`;
    case 'upmap-items':
      return `upmap-items ${pgText(change.pg)} ${change.pairs.map((pair) => pair.join(':')).join(',')}`;
    case 'rm-upmap':
    case 'rm-upmap-items':
      return `${change.kind} ${pgText(change.pg)}`;
  }
}

/** OSD ids with runs drawn together: `0-3,7`. */
function osdRuns(osds: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < osds.length;) {
    const first = osds[i] ?? 0;
    let end = i + 1;
    while (osds[end] === first + (end - i)) end++;
    const last = first + (end - i) - 1;
    parts.push(last === first ? String(first) : `${first}-${last}`);
    i = end;
  }
  return parts.join(',');
}

function locationText(location: ChangeLocation): string {
  return Object.entries(location)
    .map(([type, name]) => ` ${type}=${name}`)
    .join('');
}

/** A number without an exponent, which neither the words nor Ceph's commands have. */
export function numberText(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(10).replace(/\.?0+$/, '') : text;
}

function pgText({ pool, ps }: { readonly pool: number; readonly ps: number }): string {
  return `${pool}.${ps.toString(16)}`;
}
