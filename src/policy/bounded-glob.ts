/** Globs that an agent may have written: none may take long, whatever it is tried on. */

/**
 * So many choices may depend on each other: a `**` that something follows, and in
 * each name all wildcards and alternatives but one. Each multiplies the time.
 */
const CHOICES = 2;
const CHOICES_IN_NAME = 1;
const ALTERNATIVES = 16;
/** Whatever is escaped stands for itself. */
const ESCAPED = /\\./gs;

/** What would make a glob slow; null where nothing does. Globs become native expressions, which go back. */
export function slownessOf(glob: string): string | null {
  const plain = glob.replace(ESCAPED, 'x');
  if (/[(|]|[\]}][+?]/.test(plain))
    return 'may have no "(" and no "|", and no "+" or "?" after a bracket';
  if ((plain.match(/,/g)?.length ?? 0) >= ALTERNATIVES)
    return `may have ${ALTERNATIVES} alternatives at most: give a list of globs`;
  const names = plain.replace(/(?:\/\*\*)+\/?$/, '').split('/');
  const choices = names.map(choicesIn);
  const tooMany = names.some(
    (name, at) => !name.includes('**') && (choices[at] ?? 0) > CHOICES_IN_NAME,
  );
  return tooMany || choices.reduce((sum, each) => sum + each, 0) > CHOICES
    ? 'has so many wildcards that it could take for ever: leave out a "**", a "*" or a "{"'
    : null;
}

function choicesIn(name: string): number {
  const found = name.match(/\*+|\{/g) ?? [];
  return name.includes('**') ? found.length : Math.max(0, found.length - 1);
}
