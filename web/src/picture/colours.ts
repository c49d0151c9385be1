/** CSS colours as a canvas takes them: tokens of the page resolved for the theme in use. */

/** A colour that a canvas takes, and whether it is dark. */
export interface CanvasColour {
  readonly css: string;
  readonly isDark: boolean;
}

/** Luminance on which black and white are told apart equally well. */
const EVEN_CONTRAST = 0.18;

/** Resolves colours such as `var(--even)` at an element, each once. */
export class ColourBox {
  readonly #probe: HTMLElement;
  readonly #known = new Map<string, CanvasColour>();

  /** @param at - colours are resolved as they are in this element, which lends a child for it */
  constructor(at: HTMLElement) {
    this.#probe = document.createElement('span');
    this.#probe.hidden = true;
    // Where colours are forced, those of a picture still tell things apart.
    this.#probe.style.setProperty('forced-color-adjust', 'none');
    at.append(this.#probe);
  }

  /** The colour for a canvas. */
  get(colour: string): CanvasColour {
    let known = this.#known.get(colour);
    if (known === undefined) {
      this.#probe.style.color = '';
      this.#probe.style.color = colour;
      const css = getComputedStyle(this.#probe).color;
      known = { css, isDark: luminanceOf(css) < EVEN_CONTRAST };
      this.#known.set(colour, known);
    }
    return known;
  }

  /** Gives the child back. */
  remove(): void {
    this.#probe.remove();
  }
}

/** Relative luminance, 0 to 1, of `rgb(r, g, b)`. */
function luminanceOf(css: string): number {
  const [red = 0, green = 0, blue = 0] = (css.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
