/** Ways to a call of a program that may not be made, or to another than the one that was allowed. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Act, Attempt } from '../attempt.ts';

const AT = '/mnt/programs';
const CLOSED = `${AT}/closed`;
const ASKED = `${AT}/asked`;

const denied = (name: string, act: Act, twin: Act, refused = CLOSED): Attempt => ({
  class: 'policy',
  name: `program: ${name}`,
  act,
  twin,
  holds: { refused, rule: 'policy no calls' },
});

/** Asks for one call; the attempt makes another, the twin just that. */
const swapped = (
  name: string,
  act: Act,
  ask: Act = `${ASKED} ${name.replaceAll(' ', '-')}`,
): Attempt => ({
  class: 'approval',
  name: `program: allowed once: ${name}`,
  given: (deployment) => rmSync(join(deployment, 'defined'), { force: true }),
  ask,
  act,
  twin: ask,
  holds: { refused: ASKED, rule: 'policy asked calls' },
});

export const PROGRAM_ROWS: readonly Attempt[] = [
  denied('by its path', `${CLOSED} a`, `${AT}/open a`),
  denied('by a link', `ln -s ${CLOSED} p; ./p a`, `ln -s ${AT}/open o; ./o a`, './p'),
  denied(
    'by other names of its path',
    `cd ${AT}; ./../programs/./closed a`,
    `cd ${AT}; ./../programs/./open a`,
  ),
  denied('through PATH', `PATH=${AT}:$PATH; closed a`, `PATH=${AT}:$PATH; open a`),
  denied(
    'by other commands',
    `echo a | xargs ${CLOSED}; find ${CLOSED} -exec {} a ';'; env ${CLOSED}; bash -c '${CLOSED} a'`,
    `echo a | xargs ${AT}/open; find ${AT}/open -exec {} a ';'; env ${AT}/open; bash -c '${AT}/open a'`,
  ),
  {
    class: 'policy',
    name: 'program: a copy of it',
    act: `cp ${CLOSED} c; chmod +x c; ./c a`,
    twin: `cp ${AT}/open c; chmod +x c; ${AT}/open a`,
    holds: { fails: /a copy calls nothing/ },
  },
  {
    class: 'confinement',
    name: 'program: in a mount that is read-only',
    act: '/mnt/fixed/open a',
    twin: `${AT}/open a`,
    holds: { refused: '/mnt/fixed/open', rule: '/mnt/fixed is mounted ro' },
  },
  swapped('other words', `${ASKED} evil`),
  swapped('more words', `${ASKED} more-words evil`),
  swapped('other input', `echo evil | ${ASKED} other-input`),
  swapped('another definition', `${AT}/open swap; ${ASKED} another-definition`),
  {
    ...swapped('another program', `${AT}/asked-too another-program`),
    holds: { refused: `${AT}/asked-too`, rule: 'policy asked calls' },
  },
];
