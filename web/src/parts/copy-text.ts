/** Copying to the clipboard. */

/**
 * Copies text that an area shows; where the browser allows no copying, selects it there.
 *
 * @returns what to tell the user
 */
export async function copyText(text: string, area: HTMLTextAreaElement | null): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied.';
  } catch {
    // No permission, or no secure context: the user's own copy works on what is selected.
    area?.select();
    return 'Selected: copy it with Ctrl+C.';
  }
}
