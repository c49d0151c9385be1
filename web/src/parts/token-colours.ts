/** Colours of the style sheet's tokens, for what is drawn on a canvas. */
import { signal } from '@preact/signals';
import { theme } from '../app/theme.tsx';

const dark = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(dark.matches);
dark.addEventListener('change', () => (systemIsDark.value = dark.matches));

/** Changes whenever colours do: read it in a component that draws. */
export function colourKey(): string {
  return `${theme.value} ${systemIsDark.value}`;
}

/**
 * The colour that a token has now, as `rgb(...)`.
 *
 * @param token - such as `--over-2`
 */
export function tokenColour(token: string): string {
  const probe = document.createElement('span');
  probe.style.setProperty('forced-color-adjust', 'none');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
