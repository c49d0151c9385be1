/** The commands that carry a plan out, to be copied. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { copyText } from '../../parts/copy-text.ts';
import { saveFile } from '../../parts/save-file.ts';
import type { MdsPlan } from '../../worker/topics/mds/plan.ts';

/** See the top of the file. */
export function PlanCommands({ plan }: { readonly plan: MdsPlan }) {
  const [said, say] = useState('');
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => say(''), [plan.script]);
  return (
    <div>
      <h4>Commands</h4>
      <textarea
        ref={area}
        class="mds-script mono"
        readOnly
        rows={Math.min(16, plan.script.split('\n').length + 1)}
        value={plan.script}
        aria-label="Commands of the plan"
        wrap="off"
      />
      <div class="toolbar">
        <button type="button" onClick={() => void copyText(plan.script, area.current).then(say)}>
          Copy
        </button>
        <button
          type="button"
          onClick={() => saveFile(new Blob([`${plan.script}\n`], { type: 'text/plain' }), 'pins.sh')}
        >
          Save as a script
        </button>
        <span role="status">{said}</span>
      </div>
      <p class="quiet">
        Read them before you run them, on a client that has the file system mounted. Lines that begin with #
        are for you to do: what to hold before, and the way back.
      </p>
    </div>
  );
}
