/** The files: what they are, of which rank, and a place to give more. */
import { useEffect, useState } from 'preact/hooks';
import { FileButton } from '../../parts/file-button.tsx';
import { counted } from '../../parts/format.ts';
import type { MdsFileState } from '../../worker/topics/mds/desk.ts';
import { giveFiles, giveRank, isExample, mdsFiles, openCapture, putAllAway, putAway } from './mds-state.ts';
import { ScrollX } from './scroll-x.tsx';

const KINDS: Readonly<Record<MdsFileState['kind'], string>> = {
  loads: 'dump loads',
  subtrees: 'get subtrees',
  tree: 'dump tree',
  'fs-dump': 'ceph fs dump',
};

/** The panel: wide while there are no files, folded once there are. */
export function FilesPanel() {
  const files = mdsFiles.value?.files ?? [];
  const problems = files.filter(({ unused }) => unused !== undefined).length;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (problems > 0) setOpen(true);
  }, [problems]);
  if (files.length === 0) return <FirstFiles />;
  const what = isExample()
    ? 'Example: two metadata servers of a small real cluster'
    : counted(files.length, 'file');
  return (
    <details class="panel mds-files" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {what}
        {problems > 0 && (
          <strong class="mds-odd"> · {counted(problems, 'file is', 'files are')} not used</strong>
        )}
      </summary>
      <ScrollX label="Files">
        <table>
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col">Printed by</th>
              <th scope="col">Rank</th>
              <th scope="col">Remark</th>
              <th scope="col">
                <span class="visually-hidden">Put away</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {files.map((file, index) => (
              <FileLine key={`${index} ${file.name}`} file={file} index={index} />
            ))}
          </tbody>
        </table>
      </ScrollX>
      <div class="toolbar">
        <FileButton
          what="Files of metadata servers"
          onFiles={(files) => void giveFiles(files)}
          label="Add files…"
        />
        <button type="button" onClick={() => void putAllAway()}>
          Put all away
        </button>
      </div>
    </details>
  );
}

function FirstFiles() {
  return (
    <section class="open-box" aria-labelledby="mds-open-title">
      <h3 id="mds-open-title">Open what the metadata servers print</h3>
      <p>
        Drop files here, several at once, or choose them. Of each rank N of the file system, taken while the
        load is as usual:
      </p>
      <pre class="mds-commands">
        {[
          'ceph tell mds.N dump loads >mds.N.loads.json',
          'ceph tell mds.N get subtrees >mds.N.subtrees.json',
          'ceph fs dump -f json >fs.json',
        ].join('\n')}
      </pre>
      <p class="quiet">
        <code>dump loads</code> of one rank is the least; <code>ceph fs dump</code> tells max_mds, and{' '}
        <code>ceph tell mds.N dump tree / 3</code> what is frozen. Warnings before the JSON do no harm, nor
        does gzip. Nothing is uploaded.
      </p>
      <div class="toolbar">
        <FileButton
          what="Files of metadata servers"
          onFiles={(files) => void giveFiles(files)}
          label="Choose files…"
          isMain
        />
        <button type="button" onClick={() => void openCapture()}>
          Take the example
        </button>
        <span class="quiet">two ranks of a small real cluster, under load</span>
      </div>
    </section>
  );
}

function FileLine({ file, index }: { readonly file: MdsFileState; readonly index: number }) {
  const hasRank = file.kind === 'loads' || file.kind === 'subtrees';
  return (
    <tr>
      <td class="mds-path">{file.name}</td>
      <td>
        <code>{KINDS[file.kind]}</code>
      </td>
      <td>{hasRank ? <RankField file={file} index={index} /> : <span class="quiet">all</span>}</td>
      <td class={file.unused === undefined ? 'quiet' : 'mds-odd'}>{file.unused ?? 'used'}</td>
      <td>
        <button type="button" aria-label={`Put ${file.name} away`} onClick={() => void putAway(index)}>
          ×
        </button>
      </td>
    </tr>
  );
}

function RankField({ file, index }: { readonly file: MdsFileState; readonly index: number }) {
  const [text, setText] = useState<string>();
  return (
    <input
      type="number"
      class="mds-number"
      min={0}
      max={255}
      aria-label={`Rank of ${file.name}`}
      value={text ?? file.rank ?? ''}
      onInput={(event) => setText(event.currentTarget.value)}
      onChange={(event) => {
        const { value } = event.currentTarget;
        setText(undefined);
        if (/^\d{1,3}$/.test(value)) void giveRank(index, Number(value));
      }}
    />
  );
}
