/** A button that lets the user choose files. */
import { useRef } from 'preact/hooks';

/** What a {@link FileButton} shows, and does. */
export interface FileButtonProps {
  readonly label: string;
  /** What the files are, for those who do not see where the button stands. */
  readonly what: string;
  readonly isMain?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** See the top of the file. The same files may be chosen again. */
export function FileButton({ label, what, isMain = false, onFiles }: FileButtonProps) {
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
        aria-label={what}
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files !== null) onFiles([...files]);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
