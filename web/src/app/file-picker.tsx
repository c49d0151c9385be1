/** A button that opens files. */
import { useRef } from 'preact/hooks';
import { openGivenFiles } from './document.ts';

/** Lets the user choose a file, or an OSDMap's JSON and its CRUSH map together. */
export function FilePicker({ label, isMain = false }: { readonly label: string; readonly isMain?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class={isMain ? 'main' : ''} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Map file"
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files !== null) void openGivenFiles([...files]);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
