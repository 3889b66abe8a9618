/** The names most like a wrong one, for messages that say what is allowed. */

/** Up to `limit` of the candidates, most like `name` first, and only those that are alike at all. */
export function nearest(name: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = name.toLowerCase();
  const tolerance = Math.max(2, Math.floor(wanted.length / 2));
  return [...candidates]
    .map((candidate) => {
      const lower = candidate.toLowerCase();
      // Of two that are as near, the first letter tells: a slip is seldom there.
      const start = lower[0] === wanted[0] ? 0 : 1;
      return { candidate, lower, start, distance: distance(wanted, lower) };
    })
    .filter((row) => row.distance <= tolerance || row.lower.includes(wanted))
    .sort(
      (a, b) =>
        a.distance - b.distance || a.start - b.start || (a.candidate < b.candidate ? -1 : 1),
    )
    .slice(0, limit)
    .map((row) => row.candidate);
}

/** The one candidate that a slip of the hand, or too few letters, may have meant; null where none is that near. */
export function meant(name: string, candidates: Iterable<string>): string | null {
  const [first] = nearest(name, candidates, 1);
  if (first === undefined || name.length < 2) return null;
  const near =
    distance(name.toLowerCase(), first.toLowerCase()) <= Math.max(1, Math.floor(name.length / 3));
  return near || first.startsWith(name) ? first : null;
}

/** Names for a message: all of them when they are few, else the first and how many more. */
export function someOf(names: readonly string[], limit = 12): string {
  if (names.length === 0) return 'nothing';
  const shown = names.slice(0, limit).join(', ');
  return names.length > limit ? `${shown} and ${names.length - limit} more` : shown;
}

/** Says that a service has no such label, state, user …, and what it has. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const alike = nearest(name, known);
  const hint = alike.length > 0 ? `nearest: ${alike.join(', ')}; ` : '';
  return `there is no ${what} "${name}" here (${hint}allowed: ${someOf(known)})`;
}

/** Slips between two short names: a letter too many, too few, another one, or two that changed places. */
function distance(a: string, b: string): number {
  let above: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (row[j - 1] ?? 0) + 1,
          (previous[j] ?? 0) + 1,
          (previous[j - 1] ?? 0) + cost,
          swapped ? (above[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    above = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
