/** Subtrees that go back and forth. */
import type { Migration, PingPong } from './result.ts';

/**
 * Finds subtrees that came back to a rank within a few beats of leaving it.
 *
 * @param migrations - in the order in which they ended
 * @param beats - how many beats count as a few
 * @returns those that came back most often first
 */
export function findPingPongs(migrations: readonly Migration[], beats: number): PingPong[] {
  const byPath = new Map<string, Migration[]>();
  for (const migration of migrations) {
    const others = byPath.get(migration.path);
    if (others === undefined) byPath.set(migration.path, [migration]);
    else others.push(migration);
  }
  const found: PingPong[] = [];
  for (const [path, moves] of byPath) {
    const back = moves.filter((move, index) =>
      moves.slice(0, index).some((left) => left.from === move.to && move.beat - left.beat <= beats),
    );
    if (back.length === 0) continue;
    const ranks = new Set(back.flatMap(({ from, to }) => [from, to]));
    found.push({
      path,
      ranks: [...ranks].sort((a, b) => a - b),
      returns: back.length,
      beats: back.map(({ beat }) => beat),
    });
  }
  return found.sort((a, b) => b.returns - a.returns || (a.path < b.path ? -1 : 1));
}
