/** The whole page takes files that are dropped on it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { openGivenFiles } from './document.ts';
import { dropTarget } from './drop-target.ts';

/** Its children, and a frame while a file hovers over them. */
export function DropZone({ children }: { readonly children: ComponentChildren }) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      class={isOver ? 'drop-zone over' : 'drop-zone'}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes('Files') !== true) return;
        // A smaller place inside may take the file.
        setOver(!event.defaultPrevented);
        event.preventDefault();
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        const files = event.dataTransfer?.files;
        setOver(false);
        if (files === undefined || files.length === 0 || event.defaultPrevented) return;
        event.preventDefault();
        if (dropTarget.value !== undefined) dropTarget.value([...files]);
        else void openGivenFiles([...files]);
      }}
    >
      {children}
    </div>
  );
}
