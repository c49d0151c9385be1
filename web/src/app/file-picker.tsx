/** A button that opens maps. */
import { FileButton } from '../parts/file-button.tsx';
import { openGivenFiles } from './document.ts';

/** Lets the user choose a file, or an OSDMap's JSON and its CRUSH map together. */
export function FilePicker({ label, isMain = false }: { readonly label: string; readonly isMain?: boolean }) {
  return (
    <FileButton
      label={label}
      what="Map file"
      isMain={isMain}
      onFiles={(files) => void openGivenFiles(files)}
    />
  );
}
