/** From the files of a harness to what they say: which count, whose, and what is wrong with them. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { ConfigError, FsError } from '../errors.ts';
import { HarnessFault } from './fault.ts';
import type { FilePart } from './kinds.ts';
import { errorOf, errorsText, inspectHarness, readPart } from './load.ts';
import { isAbsent, readInHarness } from './read.ts';
import { filesInForce, relationFaults } from './relations.ts';
import { type HarnessFile, scanHarness } from './source.ts';

type Files = Record<string, string | Uint8Array>;
const AGENT = '---\ndescription: d\n---\ntext';

function directories(own: Files, defaults: Files = {}) {
  const root = temporaryDirectory();
  for (const [name, files] of Object.entries({ own, defaults })) {
    mkdirSync(join(root, name));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name, path)), { recursive: true });
      writeFileSync(join(root, name, path), text);
    }
  }
  return { own: join(root, 'own'), defaults: join(root, 'defaults') };
}

const textOf = (file: HarnessFile | undefined): string =>
  Buffer.from(file?.read(1024) ?? []).toString();

describe('the files of a harness', () => {
  test('are those that have a meaning, the deployment’s in place of the package’s', () => {
    const given = directories(
      { 'AGENTS.md': 'mine', 'agents/a.md': 'mine', 'notes.md': '', 'agents/_b.md': '' },
      {
        'AGENTS.md': 'the package',
        'policy.yaml': '',
        ...{ 'agents/.b.md': '', 'agents/b.txt': '', 'agents/c.md/x': '' },
        ...{ 'skills/s/SKILL.md': '', 'skills/t/notes.md': '', 'skills/_u/SKILL.md': '' },
        ...{ 'tools/t.sh': '', 'tools/t.ts': '', 'tools/README': '' },
      },
    );
    const files = scanHarness(given);
    expect([...files.keys()].sort()).toEqual([
      ...['AGENTS.md', 'agents/a.md', 'policy.yaml', 'skills/s/SKILL.md'],
      ...['tools/README', 'tools/t.sh', 'tools/t.ts'],
    ]);
    expect([textOf(files.get('AGENTS.md')), files.get('AGENTS.md')?.file]).toEqual([
      'mine',
      join(given.own, 'AGENTS.md'),
    ]);
    expect(textOf(scanHarness({ ...given, own: null }).get('AGENTS.md'))).toBe('the package');
    expect(scanHarness({ own: join(given.own, 'none'), defaults: '/none/at/all' }).size).toBe(0);
  });

  test('have a stamp that changes with what they say', () => {
    const given = directories({ 'AGENTS.md': 'one' });
    const stamp = () => scanHarness(given).get('AGENTS.md')?.stamp;
    const before = stamp();
    expect(stamp()).toBe(before);
    writeFileSync(join(given.own, 'AGENTS.md'), 'longer');
    expect(stamp()).not.toBe(before);
  });

  test('that may hold text of a service are marked, the deployment’s alone, and changed by that', () => {
    const given = directories({ 'AGENTS.md': 'x', 'agents/a.md': AGENT }, { 'policy.yaml': '' });
    const asked: string[] = [];
    const originsOf = (files: readonly string[]) => {
      asked.push(...files);
      return new Map([[join(given.own, 'AGENTS.md'), ['tracker', 'wiki']]]);
    };
    const files = scanHarness({ ...given, originsOf });
    expect(asked.sort()).toEqual(['AGENTS.md', 'agents/a.md'].map((path) => join(given.own, path)));
    const plain = scanHarness(given);
    expect(files.get('AGENTS.md')?.origins).toEqual(['tracker', 'wiki']);
    expect(files.get('AGENTS.md')?.stamp).not.toBe(plain.get('AGENTS.md')?.stamp);
    for (const path of ['agents/a.md', 'policy.yaml'])
      expect(files.get(path)).toMatchObject({ origins: [], stamp: plain.get(path)?.stamp });
    expect(scanHarness({ ...given, own: null, originsOf: () => expect.fail() }).size).toBe(1);
    expect(inspectHarness({ ...given, originsOf })).toEqual([
      { path: 'AGENTS.md', message: expect.stringContaining('text of tracker, wiki was read') },
    ]);
  });

  test('a link is followed within the harness; one that leads out is one fault, and tells nothing', () => {
    const given = directories({ 'more/a.md': AGENT, 'agents/own.md': AGENT }, {});
    symlinkSync('more', join(given.own, 'prompts'));
    symlinkSync(given.defaults, join(given.own, 'rules'));
    symlinkSync('/etc/hostname', join(given.own, 'agents', 'out.md'));
    symlinkSync('none', join(given.own, 'agents', 'gone.md'));
    const files = scanHarness(given);
    expect([...files].map(([path, { outside }]) => `${path} ${outside}`).sort()).toEqual([
      ...['agents/out.md true', 'agents/own.md false', 'prompts/a.md false', 'rules true'],
    ]);
    expect(files.get('rules')?.read(10)).toBeNull();
    expect(
      inspectHarness(given)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['agents/out.md', 'rules']);
  });

  test('a file is read by links that stay, and only so far', () => {
    const given = directories({ 'AGENTS.md': 'four' });
    symlinkSync('AGENTS.md', join(given.own, 'link.md'));
    symlinkSync('/etc/hostname', join(given.own, 'out.md'));
    const read = (path: string, most?: number) => readInHarness(given.own, path, most);
    expect(Buffer.from(read('link.md', 4) ?? []).toString()).toBe('four');
    expect(() => read('link.md', 3)).toThrow('EFBIG');
    expect([read('none.md'), readInHarness('/none', 'AGENTS.md')]).toEqual([null, null]);
    expect(() => read('out.md')).toThrow('EACCES');
  });
});

describe('what one file says', () => {
  const part = (
    path: string,
    text: string | Uint8Array | null,
    more: Partial<HarnessFile> = {},
  ) => {
    const read = () => (text === null ? null : Buffer.from(text));
    const file = `/host/${path}`;
    return readPart(
      { path, file, stamp: '', mtimeMs: 0, outside: false, origins: [], read, ...more },
      new Set(['/host/tools/named.ts']),
    );
  };

  test.each([
    ['AGENTS.md', 'é', { kind: 'agents-md', value: { text: 'é' } }],
    ['policy.yaml', '', { kind: 'policy', value: { text: '', policy: expect.anything() } }],
    [
      'agents/a-1_B.md',
      AGENT,
      { kind: 'agents', value: expect.objectContaining({ name: 'a-1_B' }) },
    ],
    ['skills/s/SKILL.md', AGENT, { kind: 'skills', value: expect.objectContaining({ name: 's' }) }],
    ['skills/s/more.md', 'x', null],
    ['tools/named.ts', 'x', null],
    ['other.md', 'x', null],
  ])('%s', (path, text, expected) => {
    expect(part(path, text)).toEqual(expected);
  });

  test.each([
    ['agents/a.md', null, {}, 'vanished'],
    ['agents/a.md', new Uint8Array([0xff]), {}, 'no UTF-8'],
    ['agents/a.txt', AGENT, {}, 'what lies in agents is called NAME.md'],
    ['agents/a/b.md', AGENT, {}, 'what lies in agents is called NAME.md'],
    ['agents/a b.md', AGENT, {}, '"a b" is no name'],
    ['agents/-a.md', AGENT, {}, 'is no name'],
    ['agents/.md', AGENT, {}, 'is no name'],
    ['tools/t.ts', 'x', {}, 'is named by harness.tools of the config'],
    ['tools/t.cjs', 'x', {}, 'is named by harness.tools of the config'],
    ['tools/t.py', 'x', {}, 'what lies in tools is called NAME.sh'],
    ['agents/a.md', AGENT, { outside: true }, 'leads out'],
    ['agents/a.md', AGENT, { origins: ['wiki'] }, 'text of wiki was read'],
    ['policy.yaml', 'sandbox: open', {}, 'sandbox'],
  ])('%s is refused: %#', (path, text, more, said) => {
    expect(() => part(path, text, more)).toThrow(said);
  });
});

test('an error is told by what it says to whoever mends the file', () => {
  const told = (error: unknown) => errorOf('a.md', error).message;
  expect(told(new HarnessFault('is wrong'))).toBe('is wrong');
  expect(told(new ConfigError('policy.yaml', 'has no rules'))).toBe('has no rules');
  expect(told(new FsError('EFBIG', { path: '/a', op: 'read', reason: 'too large' }))).toBe(
    'too large',
  );
  expect(told('thrown')).toBe('thrown');
});

test('/harness/.errors has a line for each fault, and is empty without one', () => {
  expect(errorsText([])).toBe('');
  const text = errorsText([
    { path: 'agents/a.md', message: 'one\nand more' },
    { path: 'b\n.md', message: 'two' },
  ]);
  expect(text.split('\n')).toEqual([
    '/harness/agents/a.md: one',
    '  and more',
    expect.stringMatching(/^.*harness\/b.*\.md.*: two$/),
    expect.stringContaining('last versions'),
    '',
  ]);
});

test('nothing there is told from what cannot be read', () => {
  const absent = (code: string) => isAbsent(Object.assign(new Error(), { code }));
  expect(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].map(absent)).toEqual([true, true, true, false]);
});

describe('what files say of each other', () => {
  const named = (kind: FilePart['kind'], name: string, agent: string | null = null) =>
    ({ kind, value: { name, agent } }) as FilePart;
  const inForce = (...parts: [FilePart, boolean][]) =>
    filesInForce(parts.map(([part, isOwn]) => ({ part, isOwn })));

  test('a prompt of the deployment’s stands before a command of the package, and before none of its own', () => {
    const names = (own: boolean, prompt: boolean) => [
      ...inForce(
        [named('commands', 'fix'), own],
        [named('prompts', 'fix'), prompt],
      ).commands.keys(),
    ];
    expect([
      names(false, true),
      names(false, false),
      names(true, true),
      names(true, false),
    ]).toEqual([[], ['fix'], ['fix'], ['fix']]);
    const agents = inForce([named('agents', 'fix'), false], [named('prompts', 'fix'), true]);
    expect([...agents.agents.keys()]).toEqual(['fix']);
    const other = inForce([named('commands', 'a'), false], [named('prompts', 'fix'), true]);
    expect([...other.commands.keys()]).toEqual(['a']);
  });

  test('an agent that is named is there, and a command and a prompt have names of their own', () => {
    const faults = relationFaults(
      inForce(
        ...[named('agents', 'a'), named('agents', 'b')].map(
          (part) => [part, true] as [FilePart, boolean],
        ),
        [named('triggers', 't', 'none'), true],
        [named('triggers', 'u', 'a'), true],
        [named('commands', 'c', 'none'), true],
        [named('commands', 'fix', 'b'), true],
        [named('commands', 'free'), true],
        [named('prompts', 'fix'), true],
        [named('prompts', 'other'), true],
      ),
    );
    const missing = 'agent: there is no agent "none"; there are: a, b';
    expect(faults).toEqual([
      { path: 'triggers/t.md', message: missing },
      { path: 'commands/c.md', message: missing },
      { path: 'prompts/fix.md', message: expect.stringContaining('/fix calls commands/fix.md') },
    ]);
  });

  test('a whole harness is looked through at once', () => {
    const command = (agent: string) => `---\ndescription: d\nagent: ${agent}\n---\ntext`;
    expect(
      inspectHarness(
        directories(
          { 'agents/b.md': 'broken', 'prompts/fix.md': 'mine', 'commands/c.md': command('none') },
          { 'agents/a.md': AGENT, 'commands/fix.md': command('none') },
        ),
      ).map(({ path }) => path),
    ).toEqual(['agents/b.md', 'commands/c.md']);
    expect(inspectHarness({ own: null, defaults: directories({}).defaults })).toEqual([]);
  });
});
