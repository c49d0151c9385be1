/** Light, dark, or as the system has it. The choice stays in this browser. */
import { effect, signal } from '@preact/signals';

const CHOICES = ['system', 'light', 'dark'] as const;
type Theme = (typeof CHOICES)[number];

const KEY = 'crush-wasm.theme';

/** What the user has chosen. */
export const theme = signal<Theme>(stored());

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});

/** A choice of the theme. */
export function ThemeChoice() {
  return (
    <label class="theme">
      <span class="quiet">Theme</span>
      <select
        value={theme.value}
        onChange={(event) => {
          theme.value = event.currentTarget.value as Theme;
          try {
            localStorage.setItem(KEY, theme.value);
          } catch {
            // Without storage the choice lasts as long as the page.
          }
        }}
      >
        {CHOICES.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    </label>
  );
}

function stored(): Theme {
  try {
    const found = localStorage.getItem(KEY);
    return CHOICES.find((choice) => choice === found) ?? 'system';
  } catch {
    return 'system';
  }
}
