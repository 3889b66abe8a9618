/** Commits in the forms of `--pretty`. */

import type { Commit } from './commit-object.ts';
import { type DateForm, dateOf } from './person.ts';

export const NAMED_FORMS: ReadonlySet<string> = new Set([
  'oneline',
  'short',
  'medium',
  'full',
  'fuller',
  'raw',
  'reference',
]);

export interface Formatting {
  /** A name of {@link NAMED_FORMS}, or a template of one's own. */
  form: string;
  isOwn: boolean;
  /** Names of commits. */
  refs: ReadonlyMap<string, readonly string[]>;
  decorates: boolean;
  date: DateForm;
  abbreviate: boolean;
}

const indented = (text: string): string =>
  text
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => (`    ${line}`.trimEnd() === '' ? '    ' : `    ${line}`))
    .join('\n');

/** The title is all lines up to the first blank one. */
const subjectOf = (message: string): string =>
  (message.replace(/^\n+/, '').split(/\n\n/)[0] ?? '').replace(/\n$/, '').replaceAll('\n', ' ');
const bodyOf = (message: string): string =>
  message.replace(/^\n+/, '').split(/\n\n/).slice(1).join('\n\n');

/** A commit as text. Named forms end in a newline, but for `oneline`. */
export function formatted({ oid, commit }: Commit, how: Formatting): string {
  const { author, committer, message, parent, tree } = commit;
  const names = how.refs.get(oid) ?? [];
  const id = how.abbreviate ? oid.slice(0, 7) : oid;
  const decoration = how.decorates && names.length > 0 ? ` (${names.join(', ')})` : '';
  const person = ({ name, email }: { name: string; email: string }): string => `${name} <${email}>`;
  if (how.isOwn) return expanded({ oid, commit }, how);
  if (how.form === 'oneline') return `${id}${decoration} ${subjectOf(message)}`;
  if (how.form === 'reference')
    return `${oid.slice(0, 7)} (${subjectOf(message)}, ${dateOf(author, 'short')})\n`;
  const merge =
    parent.length > 1 ? `Merge: ${parent.map((each) => each.slice(0, 7)).join(' ')}\n` : '';
  const date = (who: typeof author): string => dateOf(who, how.date);
  const heads: Record<string, string> = {
    short: `${merge}Author: ${person(author)}\n`,
    medium: `${merge}Author: ${person(author)}\nDate:   ${date(author)}\n`,
    full: `${merge}Author: ${person(author)}\nCommit: ${person(committer)}\n`,
    fuller: `${merge}Author:     ${person(author)}\nAuthorDate: ${date(author)}\nCommit:     ${person(committer)}\nCommitDate: ${date(committer)}\n`,
    raw: `tree ${tree}\n${parent.map((each) => `parent ${each}\n`).join('')}author ${person(author)} ${dateOf(author, 'raw')}\ncommitter ${person(committer)} ${dateOf(committer, 'raw')}\n`,
  };
  const text = how.form === 'short' ? subjectOf(message) : message;
  return `commit ${id}${decoration}\n${heads[how.form] ?? ''}\n${indented(text)}\n`;
}

const PERSON: Record<string, (who: Commit['commit']['author'], date: DateForm) => string> = {
  n: ({ name }) => name,
  N: ({ name }) => name,
  e: ({ email }) => email,
  E: ({ email }) => email,
  l: ({ email }) => email.split('@')[0] ?? '',
  d: (who, date) => dateOf(who, date),
  D: (who) => dateOf(who, 'rfc'),
  r: (who) => dateOf(who, 'relative'),
  t: (who) => dateOf(who, 'unix'),
  i: (who) => dateOf(who, 'iso'),
  I: (who) => dateOf(who, 'iso-strict'),
  s: (who) => dateOf(who, 'short'),
};

function expanded({ oid, commit }: Commit, { form, refs, date }: Formatting): string {
  const { author, committer, message, parent, tree } = commit;
  const names = refs.get(oid) ?? [];
  const one: Record<string, string> = {
    H: oid,
    h: oid.slice(0, 7),
    T: tree,
    t: tree.slice(0, 7),
    P: parent.join(' '),
    p: parent.map((each) => each.slice(0, 7)).join(' '),
    s: subjectOf(message),
    b: bodyOf(message),
    B: message,
    d: names.length > 0 ? ` (${names.join(', ')})` : '',
    D: names.join(', '),
    f: subjectOf(message)
      .replace(/[^\w.]+/g, '-')
      .replace(/^-+|[-.]+$/g, ''),
    n: '\n',
    '%': '%',
    e: '',
    N: '',
  };
  return form.replace(
    /%(?:x([0-9a-fA-F]{2})|([ac])([a-zA-Z])|C(?:\([^)]*\)|red|green|blue|reset)|([a-zA-Z%]))/g,
    (all, hex?: string, who?: string, what?: string, letter?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (who !== undefined && what !== undefined) {
        const field = PERSON[what];
        return field === undefined ? all : field(who === 'a' ? author : committer, date);
      }
      if (letter === undefined) return '';
      return one[letter] ?? all;
    },
  );
}
