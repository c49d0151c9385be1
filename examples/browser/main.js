// Reads the map that is chosen, and maps the object that is named as it is typed.
import { createMapper, CrushError, ITEM_NONE, readMapFile } from 'crush-wasm';

const element = (id) => document.getElementById(id);
const form = element('object');

/** The mapper of the map that is shown, and where each item of its hierarchy hangs. */
let shown;
/** Counts the maps that were asked for: what comes when another was is not shown. */
let asked = 0;

element('file').addEventListener('change', ({ target }) => {
  const [file] = target.files;
  // The same file may be chosen again when it has changed.
  if (file !== undefined) void open(file.name, () => file.arrayBuffer()).finally(() => (target.value = ''));
});
element('example').addEventListener('click', () => {
  void open('osdmap', async () => (await fetch('./osdmap')).arrayBuffer());
});
form.addEventListener('input', locate);
form.addEventListener('submit', (event) => event.preventDefault());

/** Shows a map, or why it cannot be shown. */
async function open(name, bytesOf) {
  const turn = ++asked;
  shown = undefined;
  element('cluster').hidden = true;
  await telling(async () => {
    const file = await readMapFile(await bytesOf());
    if (turn !== asked) return;
    if (file.kind !== 'osdmap')
      throw new CrushError('bad-argument', 'this is a CRUSH map, which has no pools');
    const { map } = file;
    shown = { mapper: createMapper(map), parents: parentsIn(map.crush) };
    const pools = [...map.pools.values()];
    element('summary').textContent = `${name}: epoch ${map.epoch}, ${pools.length} pools`;
    form.elements.pool.replaceChildren(...pools.map(optionOf));
    element('cluster').hidden = false;
    locate();
  });
}

/** Shows where the object in the form lives. */
function locate() {
  if (shown === undefined) return;
  element('pg').textContent = '';
  element('osds').replaceChildren();
  telling(() => {
    const { mapper, parents } = shown;
    const [pool, name, namespace, key] = ['pool', 'object', 'namespace', 'key'].map(
      (each) => form.elements[each].value,
    );
    if (pool === '' || name === '') return;
    const mapped = mapper.mapObject(Number(pool), { name, namespace, key });
    element('pg').textContent = `It is in PG ${pool}.${mapped.pgid.ps.toString(16)}.`;
    const width = Math.max(mapped.up.length, mapped.acting.length);
    for (let i = 0; i < width; i++) {
      const row = element('osds').insertRow();
      row.insertCell().textContent = osdText(mapped.up[i], mapped.upPrimary);
      row.insertCell().textContent = osdText(mapped.acting[i], mapped.actingPrimary);
      row.insertCell().textContent = placeOf(mapped.acting[i], mapper.map.crush, parents);
    }
    if (width === 0) element('osds').insertRow().insertCell().textContent = 'no OSD';
  });
}

/** Does something; if it fails, the reason is shown. */
async function telling(work) {
  element('problem').textContent = '';
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CrushError)) console.error(error);
    element('problem').textContent = error instanceof CrushError ? error.describe() : String(error);
  }
}

function optionOf({ id, name }) {
  const option = document.createElement('option');
  option.value = id;
  option.textContent = `${id} ${name}`;
  return option;
}

function osdText(osd, primary) {
  if (osd === undefined) return '';
  if (osd === ITEM_NONE) return 'none';
  return osd === primary ? `osd.${osd}, primary` : `osd.${osd}`;
}

/** The bucket that each item stands in; those of single device classes stand beside the hierarchy. */
function parentsIn({ buckets, classBuckets }) {
  const shadows = new Set([...classBuckets.values()].flatMap((byClass) => [...byClass.values()]));
  const parents = new Map();
  for (const bucket of buckets) {
    if (bucket === undefined || shadows.has(bucket.id)) continue;
    for (const item of bucket.items) parents.set(item, bucket.id);
  }
  return parents;
}

/** The buckets above an OSD, the nearest first. */
function placeOf(osd, crush, parents) {
  const path = [];
  for (let id = parents.get(osd); id !== undefined; id = parents.get(id)) {
    path.push(crush.itemNames.get(id) ?? `bucket ${id}`);
  }
  return path.join(', ');
}
