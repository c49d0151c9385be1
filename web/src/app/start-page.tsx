/** What is shown while no map is open. */
import { EXAMPLES } from '../worker/example-list.ts';
import { openExample } from './document.ts';
import { FilePicker } from './file-picker.tsx';
import { route } from './route.ts';

/** What the page does, and the ways to give it a map. */
export function StartPage() {
  return (
    <main class="start">
      <p class="lead">
        See where Ceph places data and why, what a change would move, and what is wrong with a map: everything
        is computed in this browser, by the same CRUSH as in your cluster, and nothing is uploaded.
      </p>
      <section class="open-box" aria-labelledby="open-title">
        <h2 id="open-title">Open a map</h2>
        <p>
          Drop a file anywhere on this page, or choose one: an OSDMap (<code>ceph osd getmap -o FILE</code>),
          a CRUSH map (<code>ceph osd getcrushmap -o FILE</code>, or its text), the JSON of{' '}
          <code>ceph report</code>, <code>ceph osd crush dump</code>, or of <code>ceph osd dump</code> with
          its CRUSH map as a second file; gzip is unpacked.
        </p>
        <FilePicker label="Choose a file…" isMain />
      </section>
      <section aria-labelledby="examples-title">
        <h2 id="examples-title">Or take an example</h2>
        <ul class="examples">
          {EXAMPLES.map(({ id, title, about }) => (
            <li key={id}>
              <button type="button" onClick={() => void openExample(id)}>
                {title}
              </button>
              <span class="quiet">{about}</span>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="mds-start-title">
        <h2 id="mds-start-title">Or look at CephFS&rsquo;s metadata servers</h2>
        <p>
          Without a map: from what the metadata servers print, see which rank carries which directory, what
          the balancer would move and why, and plan pins.
        </p>
        <button type="button" onClick={() => route.go('mds')}>
          Look at metadata servers
        </button>
      </section>
    </main>
  );
}
