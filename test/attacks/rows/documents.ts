/** Ways to a document's text for whoever may not read the document. */
import type { Act, AttackClass, Attempt, Holds } from '../attempt.ts';

const row = (kind: AttackClass, holds: Holds, name: string, act: Act, twin: Act): Attempt => ({
  class: kind,
  name: `document: ${name}`,
  act,
  twin,
  holds,
});
const denied = (refused: string): Holds => ({ refused, rule: 'policy no secrets' });

const MADE = 'echo "<p>a</p>" > o.html';

export const DOCUMENT_ROWS: readonly Attempt[] = [
  row(
    'policy',
    denied('/mnt/open/secret/page.html.md'),
    'its text, by name',
    { op: 'read', path: '/mnt/open/secret/page.html.md' },
    { op: 'read', path: '@/f' },
  ),
  row(
    'policy',
    denied('p.html'),
    'its text, by a link to it',
    'ln -s /mnt/open/secret/page.html p.html; cat p.html.md p.html:s1',
    `${MADE}; ln -s o.html p.html; cat p.html.md p.html:s1`,
  ),
  row(
    'policy',
    denied('/mnt/open/secret/page.html'),
    'its text, searched and copied',
    'grep -r --text-of . /mnt/open/secret; cp /mnt/open/secret/page.html:s1 k; cat k',
    `${MADE}; grep -r --text-of . o.html; cp o.html:s1 k; cat k`,
  ),
  row(
    'confinement',
    { fails: /No such file or directory|does not exist|cannot/ },
    'its text through a link of the host',
    { op: 'read', path: '/mnt/open/escape/page.html.md' },
    { op: 'read', path: '@/f' },
  ),
];
