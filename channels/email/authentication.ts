/**
 * What a mail server says of who sent a mail: the header `Authentication-Results` (RFC 8601). A
 * `From` proves nothing by itself, and neither do such headers of anybody but the server that is
 * trusted, which takes those away that bear its name and are not its own.
 */

/** What was found out by one method. */
interface Result {
  method: string;
  result: string;
  /** By their names, such as `header.from`, in small letters. */
  properties: ReadonlyMap<string, string>;
}

/** What stands between results of one server, whose programs write one each. */
const BESIDE = /^(?:received-spf$|(?:dkim|dmarc)-filter$|x-)/;

/** A field of a mail's header, its name in small letters. */
export interface Field {
  key: string;
  value: string;
}

/**
 * What the trusted server found out: what it has put on last, which may be several fields where
 * programs of its own write one each. What stands below may have come with the mail, and so does
 * not count; neither does what a field above has spoken of, nor anything below one that says `none`.
 * @param fields the topmost first
 */
export function resultsOf(fields: readonly Field[], trusted: string): readonly Result[] {
  const ours = trusted.toLowerCase();
  const read = ({ key, value }: Field) => (key === 'authentication-results' ? parsed(value) : null);
  const first = fields.findIndex((field) => read(field)?.server === ours);
  const found: Result[] = [];
  for (const field of first < 0 ? [] : fields.slice(first)) {
    const said = read(field);
    if (said === null && BESIDE.test(field.key)) continue;
    if (said?.server !== ours || said.results.length === 0) break;
    const known = new Set(found.map(({ method }) => method));
    found.push(...said.results.filter(({ method }) => !known.has(method)));
  }
  return found;
}

/**
 * Does it say that a mail comes from the domain of its author, or from the author themselves?
 * @param author an address, in small letters
 */
export function isAuthentic(results: readonly Result[], author: string): boolean {
  // A signature that its domain does not want to stand for it is none.
  if (results.some(({ method, result }) => method === 'dmarc' && result === 'fail')) return false;
  const domain = domainOf(author);
  return results.some(({ method, result, properties }) => {
    if (result !== 'pass') return false;
    switch (method) {
      case 'dmarc':
        return properties.get('header.from') === domain;
      case 'dkim':
        return isAligned(signerOf(properties), domain);
      default:
        return hasLoggedIn({ method, properties }, author);
    }
  });
}

/**
 * Did the domain of its author hand it over itself, or the author, who has logged in? Then nobody
 * had it on the way, and it is as it was sent.
 */
export function isHandedOver(results: readonly Result[], author: string): boolean {
  return results.some(({ method, result, properties }) => {
    if (result !== 'pass') return false;
    const sender = properties.get('smtp.mailfrom') ?? '';
    return method === 'spf'
      ? isAligned(domainOf(sender), domainOf(author))
      : hasLoggedIn({ method, properties }, author);
  });
}

const hasLoggedIn = (
  { method, properties }: Pick<Result, 'method' | 'properties'>,
  author: string,
): boolean => method === 'auth' && properties.get('smtp.auth') === author;

export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1).replace(/>$/, '');

/** The domain that has signed. */
const signerOf = (properties: Result['properties']): string | undefined =>
  properties.get('header.d') ?? properties.get('header.i')?.replace(/^.*@/, '');

/** As DMARC has it by default: a domain speaks for those below it. */
const isAligned = (signer: string | undefined, domain: string): boolean =>
  signer?.includes('.') === true && (domain === signer || domain.endsWith(`.${signer}`));

function parsed(header: string): { server: string; results: Result[] } {
  const [first = [], ...rest] = clauses(header);
  // Behind its name there may be a version.
  const [server = ''] = words(first);
  const results = rest.flatMap((clause) => {
    const [head = '', ...more] = words(clause);
    const [, method = '', result = ''] = /^([\w-]+)(?:\/\d+)?=(\w+)$/.exec(head) ?? [];
    if (method === '') return [];
    const properties = new Map<string, string>();
    for (const word of more) {
      const [, name = '', value = ''] = /^([\w-]+(?:\.[\w-]+)?)=(.*)$/s.exec(word) ?? [];
      // What is said twice is not said.
      if (name !== '') properties.set(name, properties.has(name) ? '' : value);
    }
    return [{ method, result, properties }];
  });
  return { server, results };
}

/** Parts of a header at its semicolons, without comments; what is quoted is one token, whatever is in it. */
function clauses(header: string): string[][] {
  const all: string[][] = [];
  let clause: string[] = [];
  let depth = 0;
  const text = header.toLowerCase();
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at, depth > 0);
    at += token.length;
    if (token === '(') depth += 1;
    if (depth > 0) clause.push(' ');
    else if (token === ';') {
      all.push(clause);
      clause = [];
    } else clause.push(token);
    if (token === ')' && depth > 0) depth -= 1;
  }
  return [...all, clause];
}

/** A quoted text, an escaped character, or any other one. Within a comment a quotation mark is none. */
function tokenAt(text: string, at: number, isComment: boolean): string {
  const token = isComment ? /\\[\s\S]|[\s\S]/y : /"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[\s\S]/y;
  token.lastIndex = at;
  return token.exec(text)?.[0] ?? '';
}

function words(clause: readonly string[]): string[] {
  const found: string[] = [''];
  for (const token of clause) {
    if (/^\s$/.test(token)) found.push('');
    else found[found.length - 1] += token.length > 1 ? unquoted(token) : token;
  }
  // Blanks around these marks are none.
  const joined: string[] = [];
  for (const word of found.filter((each) => each !== '')) {
    const last = joined.at(-1);
    if (last !== undefined && (/[=./]$/.test(last) || /^[=./]/.test(word)))
      joined[joined.length - 1] = last + word;
    else joined.push(word);
  }
  return joined;
}

const unquoted = (token: string): string =>
  (token.startsWith('"') ? token.slice(1, -1) : token).replaceAll(/\\([\s\S])/g, '$1');
