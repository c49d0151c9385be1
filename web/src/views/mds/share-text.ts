/** Loads against a rank's share. */

/** How many times its share a load is. */
export function shareText(load: number, share: number): string {
  return share > 0 ? `${(load / share).toFixed(2)}×` : '–';
}
