/**
 * What the signatures of a mail cover (DKIM, RFC 6376). A server that says that a signature is
 * good says so of the fields that it names alone: whoever has got a signed mail can take away,
 * put on and send once more whatever else is in it.
 */
import { domainOf, type Field } from './authentication.ts';

/** Without these a mail has another name, and another body, than it was signed with. */
const ALWAYS = ['from', 'message-id', 'content-type'];
/** What a mail has of these is read. */
const READ = ['to', 'cc', 'subject', 'in-reply-to', 'references', 'content-transfer-encoding'];
/** Domains are of one owner, as far as can be told, where they end the same by so many labels. */
const LABELS = 2;

/**
 * Does each signature that may be the one that was found good cover all that is read of a mail?
 * Which one it was the server says by its domain alone, by which there may be others.
 * @param author an address, in small letters
 */
export function isCovered(fields: readonly Field[], author: string): boolean {
  const own = endOf(domainOf(author));
  const signatures = fields.flatMap(({ key, value }) =>
    key === 'dkim-signature' ? [tagsOf(value)] : [],
  );
  const ours = signatures.filter((tags) => tags === null || endOf(tags.get('d') ?? '') === own);
  const has = new Set(fields.map(({ key }) => key));
  const needed = [...ALWAYS, ...READ.filter((name) => has.has(name))];
  return ours.length > 0 && ours.every((tags) => tags !== null && covers(tags, needed));
}

function covers(tags: ReadonlyMap<string, string>, needed: readonly string[]): boolean {
  // Something may have been put below what was signed.
  if (tags.has('l')) return false;
  const names = (tags.get('h') ?? '').toLowerCase().split(':');
  const signed = new Set(names.map((name) => name.trim()));
  return needed.every((name) => signed.has(name));
}

const endOf = (domain: string): string =>
  domain.trim().toLowerCase().split('.').slice(-LABELS).join('.');

/** @returns null for a list that is none: one tag more than once, or something else between them */
function tagsOf(list: string): ReadonlyMap<string, string> | null {
  const tags = new Map<string, string>();
  for (const tag of list.replace(/;\s*$/, '').split(';')) {
    const [, name = '', value = ''] = /^\s*([A-Za-z]\w*)\s*=([\s\S]*)$/.exec(tag) ?? [];
    if (name === '' || tags.has(name)) return null;
    tags.set(name, value.trim());
  }
  return tags;
}
