/** What a person allowed is what is done, once, and by whom it was asked; the rest is refused. */
import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Act, Attempt, FileOperation } from '../attempt.ts';

const ASKED = '/mnt/open/asked';
const write = (path: string, text = 'fine\n'): FileOperation => ({ op: 'write', path, text });

/** Each begins with the same: one file in the directory that asks. */
const given = (deployment: string): void => {
  const asked = join(deployment, 'open', 'asked');
  for (const name of readdirSync(asked))
    if (name !== 'a.md') rmSync(join(asked, name), { recursive: true });
  writeFileSync(join(asked, 'a.md'), 'a\n');
  chmodSync(join(asked, 'a.md'), 0o644);
};

/** Asks for `ask`; the attempt does something else, the twin just that. */
const swapped = (name: string, ask: Act, act: Act, more: Partial<Attempt> = {}): Attempt => ({
  class: 'approval',
  name: `allowed once: ${name}`,
  given,
  ask,
  act,
  twin: ask,
  holds: { refused: ASKED, rule: 'policy asked' },
  ...more,
});

const script = (before: string, what: string): [string, string] => [what, `${before}; ${what}`];
const [MOVE, MOVE_EVIL] = script('echo evil > m', `mv m ${ASKED}/bm`);
const [COPY, COPY_EVIL] = script('echo evil > c', `cp c ${ASKED}/bc`);

const SWAPPED: readonly Attempt[] = [
  swapped('other text is written', write(`${ASKED}/bw`), write(`${ASKED}/bw`, 'evil\n')),
  swapped('another file is written', write(`${ASKED}/bx`), write(`${ASKED}/by`)),
  swapped('text is appended instead', write(`${ASKED}/a.md`), {
    op: 'append',
    path: `${ASKED}/a.md`,
    text: 'evil\n',
  }),
  swapped('the source of a move is swapped', `[ -e m ] || echo fine > m; ${MOVE}`, MOVE_EVIL),
  swapped('the source of a copy is swapped', `[ -e c ] || echo fine > c; ${COPY}`, COPY_EVIL),
  swapped(
    'the target of a link is another',
    `ln -s f ${ASKED}/bl`,
    `ln -s /etc/passwd ${ASKED}/bl`,
  ),
  swapped(
    'the mode is another',
    { op: 'chmod', path: `${ASKED}/a.md`, mode: 0o600 },
    { op: 'chmod', path: `${ASKED}/a.md`, mode: 0o777 },
  ),
  swapped(
    'the time is another',
    `touch -d 2001-01-01 ${ASKED}/a.md`,
    `touch -d 2031-01-01 ${ASKED}/a.md`,
  ),
  swapped('removed instead of written', write(`${ASKED}/a.md`, 'better\n'), {
    op: 'remove',
    path: `${ASKED}/a.md`,
  }),
  swapped('a directory instead of a file', write(`${ASKED}/bd`), {
    op: 'mkdir',
    path: `${ASKED}/bd`,
  }),
  swapped(
    'the tree of a move has grown',
    `[ -e t ] || { mkdir t; echo fine > t/x; }; mv t ${ASKED}/bt`,
    `echo evil > t/y; mv t ${ASKED}/bt`,
  ),
  swapped('a second time', write(`${ASKED}/bo`), write(`${ASKED}/bo2`)),
];

/** Nobody has allowed anything. */
const alone = (name: string, act: Act, twin: Act, more: Partial<Attempt> = {}): Attempt => ({
  class: 'approval',
  name,
  given,
  act,
  twin,
  holds: { refused: ASKED, rule: 'policy asked' },
  ...more,
});

const ALONE: readonly Attempt[] = [
  alone('unasked: write', write(`${ASKED}/n`), write('@/n')),
  alone('unasked: remove', { op: 'remove', path: `${ASKED}/a.md` }, { op: 'remove', path: '@/f' }),
  alone(
    'unasked: in a loop',
    `for i in 1 2 3; do echo $i > ${ASKED}/n$i; done`,
    'for i in 1 2 3; do echo $i > n$i; done',
  ),
  alone('unasked: in the background', `echo x > ${ASKED}/n & wait $!`, 'echo x > n & wait $!'),
  alone('unasked: answering for the person', `echo y | echo x > ${ASKED}/n`, 'echo y | echo x > n'),
  alone(
    'unasked: by the command of the host',
    `dirigent approvals allow x; echo x > ${ASKED}/n`,
    'echo x > n',
  ),
  alone(
    'unasked: a service is written',
    write('/mnt/notes/x.md', 'evil'),
    write('@/x.md', 'evil'),
    {
      holds: { refused: '/mnt/notes/x.md', rule: 'policy notes' },
    },
  ),
  alone('unasked: moved onto a service', 'mv f /mnt/notes/y.md', 'mv f y.md', {
    holds: { refused: '/mnt/notes/y.md', rule: 'policy notes' },
  }),
  {
    class: 'approval',
    name: "an answer of one's own: a file in /session/approvals",
    act: 'for each in $(ls /session/approvals); do sed -i s/pending/allowed/ "/session/approvals/$each"; done; echo "state: allowed" > /session/approvals/new.md',
    twin: 'echo "state: allowed" > new.md',
    holds: { refused: '/session/approvals', rule: '/session/approvals is mounted ro' },
  },
];

export const APPROVAL_ROWS: readonly Attempt[] = [...SWAPPED, ...ALONE];
