/** Odd questions as people and agents type them, asked through the shell of a mounted directory. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../../entry/index.ts';
import { CORPUS } from './corpus.ts';

/** The file of the first line, null where there is none; what stands in that line; what stderr says besides. */
type Row = readonly [
  question: string,
  file: string | null,
  text?: string | undefined,
  said?: string | undefined,
];

const LOOKED_UP: readonly Row[] = [
  // Ids, in any letter case, in part, and such as are nowhere.
  ['INC-1', 'incidents/INC-1.md', 'title: Checkout down'],
  ['inc-1', 'incidents/INC-1.md'],
  ['INC-12', 'incidents/INC-12.md'],
  ['"INC-1"', 'incidents/INC-1.md', 'title: Checkout down'],
  ['(PLT-12)', 'issues/PLT-12.md', 'title: Dark mode'],
  ['INC-2 INC-1', 'incidents/INC-2.md', 'title: Replica lag'],
  ['E1043 and E1042', 'guides/errors.md', 'E1043'],
  ['PLT-12', 'issues/PLT-12.md', 'title: Dark mode'],
  ['PLT-99', null, '', 'no document has: PLT-99\n'],
  ['req-7f3a9c21', 'incidents/INC-12.md', 'req-7f3a9c21'],
  ['7f3a9c', 'incidents/INC-12.md', 'req-7f3a9c21'],
  ['what is PLT-36 about', 'issues/PLT-36.md', 'title: Upload of large files'],
  ['queue worker INC-12', 'incidents/INC-12.md', 'A queue worker'],
  // Dates.
  ['2024-06-03', 'incidents/INC-1.md', 'date: 2024-06-03'],
  ['2024-06-04', null, '', 'no document has: 2024-06-04\n'],
  ['what happened on 2024-07-19', 'incidents/INC-2.md'],
  // Hashes and versions.
  ['9fceb02', 'CHANGELOG.md', 'commit 9fceb02d0ae5'],
  ['9fceb02d0ae598e95dc970b74767f19372d61af8', 'CHANGELOG.md', 'race in the scheduler'],
  ['2.4.1', 'CHANGELOG.md', '2.4.1'],
  ['v2.4.0', 'CHANGELOG.md', '2.4.0'],
  ['3.0.0', null, '', 'no document has: 3.0.0\n'],
  // Names of files, paths, a line of a path.
  ['deploy.md', 'runbooks/deploy.md'],
  ['runbooks/deploy.md', 'runbooks/deploy.md'],
  ['/mnt/kb/guides/style.md', 'guides/style.md'],
  ['CHANGELOG', 'CHANGELOG.md'],
  ['src/users.ts:5', 'src/users.ts', 'return db.users.find(id);'],
  ['what does deploy.md say about the canary', 'runbooks/deploy.md', 'Five percent'],
  ['no/such/file.md', null, '', 'no document has: no/such/file.md\n'],
  // Addresses, codes, numbers and units.
  ['ops-team@harbor.example', 'runbooks/rotate-keys.md', 'Ask ops-team@harbor.example'],
  ['10.20.30.40', 'src/config.yaml', 'host: 10.20.30.40'],
  ['8443', 'src/config.yaml', 'port: 8443'],
  ['E1042', 'guides/errors.md', '| E1042 |'],
  ['E9999', null, '', 'no document has: E9999\n'],
  ['ECONNRESET', 'guides/errors.md', 'ECONNRESET'],
  ['99.95%', 'guides/latency.md'],
  ['4711', null, '', 'no document has: 4711\n'],
  ['250ms', 'guides/latency.md', '250ms'],
  ['250 ms', 'guides/latency.md', '250ms'],
  ['100 GB', 'runbooks/backups.md', '100 GB'],
  ['640 px', 'guides/style.md', '640px'],
  ['20 minutes', 'runbooks/backups.md', '20 minutes'],
  // Names of people, with and without accents, and other forms of letters.
  ['Inès', 'incidents/INC-1.md', 'assignee: Inès Moreau'],
  ['Ines', 'incidents/INC-1.md', 'assignee: Inès Moreau'],
  ['Zoe Muller', 'incidents/INC-12.md', 'assignee: Zoë Müller'],
  ['Bogdan', 'incidents/INC-2.md', 'assignee: Bogdan Kowalski'],
  ['ＰＬＴ－１２', 'issues/PLT-12.md'],
];

const CODE: readonly Row[] = [
  ['PostgreSQL', 'CHANGELOG.md', 'PostgreSQL 16'],
  ['postgresql', 'CHANGELOG.md', 'PostgreSQL 16'],
  ['getUserById', 'src/users.ts', 'function getUserById('],
  ['getUserById()', 'src/users.ts', 'function getUserById('],
  ['getUser', 'src/users.ts', 'function getUserById('],
  ['get user by id', 'src/users.ts', 'function getUserById('],
  ['how does getUserById work', 'src/users.ts', 'function getUserById('],
  ['job_history', 'src/job_history.py', 'def job_history('],
  ['jobHistory', 'src/job_history.py', 'def job_history(', 'no document has: jobHistory\n'],
  ['MAX_RETRY_COUNT', 'src/users.ts', 'MAX_RETRY_COUNT = 5'],
  ['max-upload-size', 'src/config.yaml', 'max-upload-size'],
  ['Rate-limit', 'CHANGELOG.md', 'Rate-limit headers'],
  ['Foo::bar', 'src/queue.cpp', 'Foo::bar()'],
  ['Queue::push', 'src/queue.cpp', 'Queue::push('],
  ['calculateMortgageRate', null, '', 'no document has: calculateMortgageRate\n'],
  // Messages, with and without quotes.
  ['"connection refused by upstream"', 'guides/errors.md', 'connection refused by upstream'],
  ['connection refused by upstream', 'guides/errors.md', 'connection refused by upstream'],
  ['"the peer closed"', 'guides/errors.md', 'ECONNRESET'],
  ['"peer closed the token"', null, '', 'no document has: "peer closed the token"\n'],
  // Regular expressions typed by mistake.
  [
    'exponential.*hours',
    'guides/webhooks.md',
    'exponential backoff',
    'read as a regular expression',
  ],
  ['\\d+ minutes', 'incidents/INC-2.md', '40 minutes', 'read as a regular expression'],
  ['renewed|replaced', 'incidents/INC-1.md', 'renewed', 'read as a regular expression'],
  ['^# Backups', 'runbooks/backups.md', '# Backups', 'read as a regular expression'],
  ['replica.*lagged', 'incidents/INC-2.md'],
  ['zebra.*giraffe', null],
];

const WORDS: readonly Row[] = [
  // One word, its plural, a slip, a part, British and American.
  ['webhook', 'guides/webhooks.md'],
  ['webhooks', 'guides/webhooks.md'],
  ['webook', 'guides/webhooks.md', '', 'webook was read as webhook'],
  ['certifcate', 'incidents/INC-1.md', '', 'certifcate was read as certificate'],
  ['canary', 'runbooks/deploy.md', 'Five percent of the traffic'],
  ['color', 'guides/style.md'],
  ['colour', 'guides/style.md'],
  ['organise components', 'guides/style.md'],
  ['centre column', 'guides/style.md'],
  // Stop words alone, negation, nothing, signs.
  ['the', null, '', 'grep -rn finds it'],
  ['what is it', null, '', 'grep -rn finds it'],
  ['not encrypted', 'runbooks/backups.md', 'not encrypted'],
  ['backups without encryption', 'runbooks/backups.md', 'not encrypted'],
  ['🚀', 'guides/rockets.md', '🚀'],
  ['🦄', null, '', 'no document has: 🦄\n'],
  ['???', null, '', 'no document has: ???\n'],
  // Fields of records.
  ['severity of INC-1', 'incidents/INC-1.md', 'severity: critical'],
  ['INC-2 severity', 'incidents/INC-2.md', 'severity: minor'],
  ['who is assigned to INC-2', 'incidents/INC-2.md', 'assignee: Bogdan Kowalski'],
  ['when was INC-12', 'incidents/INC-12.md', 'date: 2024-11-02'],
  ['incidents with severity critical', 'incidents/INC-1.md', 'severity: critical'],
  ['labels: payments', 'incidents/INC-1.md', 'labels: [payments, tls]'],
  ['priority high', 'issues/PLT-36.md', 'priority: high'],
  // Sentences; a heading alone is no answer.
  ['how long are backups kept', 'runbooks/backups.md', '35 days'],
  ['how do I roll back a release', 'runbooks/deploy.md', 'Roll back'],
  ['who verifies the sender of a delivery', 'guides/webhooks.md', 'Each delivery carries'],
  ['log of the renewed certificate', 'incidents/INC-1.md', 'The certificate was renewed'],
  // What no document has is said, with an answer and without one.
  ['migrate cobol', 'runbooks/deploy.md', 'migration', 'no document has: cobol\n'],
  ['who composed the four seasons', null, '', 'no document has: composed'],
];

const LANGUAGES: readonly Row[] = [
  ['Rechnung', 'de/rechnungen.md'],
  ['Mahnungen', 'de/rechnungen.md'],
  ['uberweisung', 'de/rechnungen.md'],
  ['Wann wird eine Rechnung verschickt?', 'de/rechnungen.md'],
  ['demandes de congé', 'fr/conges.md'],
  ['conges', 'fr/conges.md'],
  ['reembolso', 'es/facturacion.md'],
  ['¿Cuándo se pagan los reembolsos?', 'es/facturacion.md'],
  ['сбросить пароль', 'ru/parol.md'],
  ['ссылки', 'ru/parol.md'],
  ['令牌', 'zh/lingpai.md'],
  ['更新令牌', 'zh/lingpai.md'],
  ['休暇の申請', 'ja/kyuka.md'],
  [
    'hoe vernieuw ik het wachtwoord van mijn account',
    null,
    '',
    'the question is in Dutch, and no document is',
  ],
  ['비밀번호를 재설정하는 방법', null, '', 'the question is in Korean, and no document is'],
];

let directory: string;
let world: World;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-questions-'));
  for (const [name, text] of Object.entries(CORPUS)) {
    const path = join(directory, 'kb', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const mounts = { '/mnt/kb': join(directory, 'kb') };
  world = createWorld({ mounts, state: join(directory, 'state') });
});

afterAll(async () => {
  await world.close();
  rmSync(directory, { recursive: true });
});

const ask = (question: string) =>
  world.exec(`cd /mnt/kb; grep '${question.replaceAll("'", String.raw`'\''`)}'`);

const named = (rows: readonly Row[]) => rows.map((row) => ({ question: row[0], row }));

/** The first line is of that file, and every line is one of its file. */
async function isRight([question, file, text = '', said = '']: Row): Promise<void> {
  const { stdout, stderr, exitCode } = await ask(question);
  const [first = ''] = stdout.split('\n');
  const shown = { exitCode, file: first.split(':')[0] || null, text: first, stderr };
  expect(shown).toEqual({
    exitCode: file === null ? 1 : 0,
    file,
    text: expect.stringContaining(text),
    stderr: expect.stringContaining(said),
  });
  for (const line of stdout.split('\n').filter((each) => each !== '')) {
    const [, path = '', number = '', shownText = ''] = /^([^:]+):(\d+):(.*)$/.exec(line) ?? [];
    const there = CORPUS[path]?.split('\n')[Number(number) - 1] ?? '';
    expect(there).toContain(shownText.replaceAll('…', ''));
  }
}

describe('what is meant letter for letter is found first', () => {
  test.each(named(LOOKED_UP))('$question', ({ row }) => isRight(row));
});

describe('code, messages and expressions are found as they stand', () => {
  test.each(named(CODE))('$question', ({ row }) => isRight(row));
});

describe('words and sentences', () => {
  test.each(named(WORDS))('$question', ({ row }) => isRight(row));
});

describe('in other languages than English', () => {
  test.each(named(LANGUAGES))('$question', ({ row }) => isRight(row));
});

describe('what a question must not do', () => {
  test('two kilobytes that were pasted are answered by what they are about', async () => {
    const pasted = [
      'At 09:12 the gateway refused every card, since its certificate had expired overnight.',
      ...Array.from(
        { length: 40 },
        (_, line) => `  at handler (/srv/app/dist/${line}.js:${line}:7)`,
      ),
    ].join('\n');
    expect(pasted.length).toBeGreaterThan(1_500);
    const { stdout, stderr, exitCode } = await ask(pasted);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^incidents\/INC-1\.md:/);
    expect(stderr.length).toBeLessThan(500);
  });

  test('a record comes before what was said of it, and before those that mention it', async () => {
    const { stdout } = await ask('INC-1');
    const files = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(':')[0]);
    expect(files).toEqual([
      'incidents/INC-1.md',
      'incidents/INC-2.md',
      'incidents/INC-1/comments/1.md',
    ]);
  });

  test('no answer of a question in words is a heading alone', async () => {
    for (const question of ['canary', 'signatures', 'error codes', 'log', 'backups', 'launches']) {
      const { stdout } = await ask(question);
      expect(stdout).not.toMatch(/^[^:]+:\d+:#/m);
    }
  });

  test('what no document has is in each object of --json, and absent where nothing lacks', async () => {
    const objects = async (question: string) => {
      const { stdout } = await world.exec(`search --json "${question}" /mnt/kb`);
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { missing?: string[] });
    };
    const lacking = await objects('migrate cobol');
    expect(lacking.length).toBeGreaterThan(0);
    expect(lacking.every(({ missing }) => missing?.join() === 'cobol')).toBe(true);
    const found = await objects('rotating the signing keys');
    expect(found.every(({ missing }) => missing === undefined)).toBe(true);
  });
});
