/**
 * How a person is written in a frontmatter, the same in every service: shown by one name, and
 * found by whatever somebody would type for them.
 */
import { nearest, someOf } from '../../nearest.ts';

/** Somebody whom a service knows. */
export interface Person {
  /** As a frontmatter shows them: login, display name. */
  name: string;
  id: string;
  /** What else they are called: full name, e-mail address. */
  also: readonly string[];
}

/** For the README of a mount; `shown` is what its service shows: "login". */
export function peopleHint(shown: string, also: readonly string[]): string {
  const ways = ['a leading @', 'other case', ...also].join(', ');
  return `People are shown by their ${shown}, in every field and index. Written, it may be that, or what you would type for them (${ways}); who is not known, or could be two, is refused with the nearest ones.`;
}

/** The one person that a text names, or why there is none. */
export function personOf(
  people: readonly Person[],
  typed: string,
): { person: Person } | { refused: string } {
  const found = matches(people, typed.trim().replace(/^@/, ''));
  const [person] = found;
  if (person !== undefined && found.length === 1) return { person };
  if (person === undefined) return { refused: unknown(people, typed) };
  const ways = found.map(({ name, also, id }) => `${name} (${also.at(-1) ?? id})`);
  return {
    refused: `there are ${found.length} people that "${typed}" could be: ${ways.join(', ')}; write what is in brackets`,
  };
}

/** By the name that is shown, then by the others; to the letter before whatever its case, accents and hyphens. */
function matches(people: readonly Person[], typed: string): Person[] {
  const ways: ((person: Person) => boolean)[] = [
    ({ name, id }) => name === typed || id === typed,
    ({ name }) => name.toLowerCase() === typed.toLowerCase(),
    ({ also }) => also.some((one) => one.toLowerCase() === typed.toLowerCase()),
    ({ name, also }) => [name, ...also].some((one) => folded(one) === folded(typed)),
  ];
  for (const way of ways) {
    const found = people.filter(way);
    if (found.length > 0) return found;
  }
  return [];
}

/** `Inès Moreau` and `ines-moreau` are one; what has no letter or digit is nobody's. */
function folded(name: string): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}@]/gu, '');
  return letters === '' ? name : letters;
}

function unknown(people: readonly Person[], typed: string): string {
  const wanted = typed.replace(/^@/, '').replace(/@.*$/, '');
  const called = people.flatMap(({ name, also }) => [name, ...also].map((one) => ({ one, name })));
  const alike = nearest(
    wanted,
    called.map(({ one }) => one),
    6,
  ).map((one) => called.find((row) => row.one === one)?.name ?? one);
  const few = [...new Set(alike)].slice(0, 3);
  const hint = few.length > 0 ? `nearest: ${few.join(', ')}; ` : '';
  const names = people.map(({ name }) => name).sort();
  return `there is no person "${typed}" here (${hint}allowed: ${someOf(names)})`;
}
