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

/**
 * Does the trusted server say that a mail comes from the domain of its author, or from the author
 * themselves? Only the header that was put on last counts: others may have come with the mail.
 * @param headers values of `Authentication-Results`, the topmost first
 * @param author an address, in small letters
 */
export function isAuthentic(headers: readonly string[], trusted: string, author: string): boolean {
  const domain = author.slice(author.lastIndexOf('@') + 1);
  const ours = headers.map(parsed).find(({ server }) => server === trusted.toLowerCase());
  return (ours?.results ?? []).some(({ method, result, properties }) => {
    if (result !== 'pass') return false;
    switch (method) {
      case 'dmarc':
        return properties.get('header.from') === domain;
      case 'dkim':
        return isAligned(signerOf(properties), domain);
      // It was handed in by somebody who has logged in.
      case 'auth':
        return properties.get('smtp.auth') === author;
      default:
        return false;
    }
  });
}

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
  const token = isComment ? /\\.|[\s\S]/y : /"(?:[^"\\]|\\.)*"|\\.|[\s\S]/y;
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
  (token.startsWith('"') ? token.slice(1, -1) : token).replaceAll(/\\(.)/g, '$1');
