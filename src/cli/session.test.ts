/** `dirigent session`: what is listed and shown of sessions, and what is done with them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installation } from '../../entry/installation.ts';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { SessionFile } from '../session/file.ts';
import { createSession, resumeSession } from '../session/open.ts';
import { sessionPlace } from '../session/place.ts';
import type { SessionArguments } from './options.ts';
import { runSession } from './session.ts';
import { isConversation, listSessions } from './session-text.ts';
import { isCalledDirigent, keptOutput, parsed } from './testing.ts';

/** A deployment whose sessions this makes, and its `session` command. */
function deployed() {
  isCalledDirigent();
  const at = temporaryDirectory();
  writeFileSync(join(at, 'dirigent.config.mjs'), 'export default {};\n');
  mkdirSync(join(at, '.dirigent'));
  const place = sessionPlace(join(at, '.dirigent'));
  const session = async (line: string) => {
    const { output, out, err } = keptOutput();
    const options = parsed(`session ${line}`) as SessionArguments;
    const status = await runSession({ ...options, deployment: at }, output, installation);
    return { status, out: out(), err: err() };
  };
  /** One in which this was said and done. */
  const made = (...said: string[]) => {
    const log = createSession(place);
    for (const text of said) {
      if (text.startsWith('$ ')) {
        const start = log.append({ type: 'bash_start', command: text.slice(2), cwd: '/' });
        log.append({ type: 'bash_end', start: start.id, exitCode: 0, stdout: 'out\n' });
      } else log.message({ role: 'user', content: text });
    }
    log.close();
    return log.id;
  };
  return { at, place, session, made };
}

describe('ls', () => {
  test('has a row for each, the newest first, with how it began', async () => {
    const { place, session, made } = deployed();
    expect(await session('ls')).toEqual({ status: 0, out: 'no sessions\n', err: '' });
    const one = made('$ ls -l', 'What is it?', 'And that?');
    const two = made('$ ls -l', '$ pwd');
    const three = made('x');
    const four = made(`${'long '.repeat(20)}\nend`);
    const { out } = await session('ls');
    const rows = out.trimEnd().split('\n');
    expect(rows.map((row) => row.slice(0, 26))).toEqual([four, three, two, one]);
    const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d';
    expect(rows[3]).toMatch(new RegExp(`^${one} {2}${time} {5}5 entries {2}What is it\\?$`));
    expect(rows[2]).toMatch(/ {2}\$ ls -l$/);
    expect(rows[0]).toMatch(/ 2 entries {2}long .*…$/);
    const open = createSession(place);
    open.message({ role: 'user', content: 'now' });
    expect((await session('ls')).out).toMatch(/^\S+ {2}\S+ \S+ {7}1 entry {2}now\n/);
    open.discard();
    const json = JSON.parse((await session('ls --json')).out) as {
      commands: number;
      line?: string;
    }[];
    expect(json.map(({ commands }) => commands)).toEqual([0, 0, 2, 1]);
    expect(json[0]).not.toHaveProperty('line');
  });

  test('has the newest 20, and says how many more there are', async () => {
    const { session, made } = deployed();
    const ids = Array.from({ length: 22 }, () => made('x'));
    const { out, err } = await session('ls');
    expect(out.split('\n')).toHaveLength(21);
    expect(err).toBe(
      'dirigent: 2 older ones are not shown; "dirigent session ls --all" shows them\n',
    );
    expect(out).not.toContain(ids[1]);
    const all = await session('ls --all');
    expect([all.out.split('\n').length, all.err]).toEqual([23, '']);
  });

  test('says of one that cannot be read, or is broken, that it is so', async () => {
    const { at, place, session, made } = deployed();
    const [broken, gone] = [made('hello'), made('hello')];
    const fileOf = (id: string) => {
      const directory = join(at, '.dirigent/sessions', id);
      return join(directory, readdirSync(directory).find((name) => name.endsWith('.jsonl')) ?? '');
    };
    writeFileSync(fileOf(broken), `${readFileSync(fileOf(broken), 'utf8')}no json\n`);
    writeFileSync(fileOf(gone), 'no json\n');
    const { out } = await session('ls');
    expect(out).toMatch(new RegExp(`^${gone} {2}cannot be read: `));
    expect(out).toContain('hello (broken)\n');
    expect((await session(`show ${broken}`)).err).toMatch(/^dirigent: line \d+ of \S+ is broken: /);
    expect([isConversation(place, broken), isConversation(place, gone)]).toEqual([true, false]);
    expect((await session(`verify ${broken}`)).status).toBe(1);
  });
});

test('a conversation is one in which a person spoke, and no agent that was sent', () => {
  const { place, made } = deployed();
  const sent = createSession(place);
  sent.append({ type: 'custom', name: 'turn/delegate', data: {} });
  sent.message({ role: 'user', content: 'do it' });
  sent.close();
  expect([made('hello'), made('$ ls'), sent.id].map((id) => isConversation(place, id))).toEqual([
    true,
    false,
    false,
  ]);
  expect(listSessions(place, 1)).toMatchObject({ rows: { length: 1 }, more: 2 });
});

describe('show', () => {
  test('has what was said and done, indented, below its head', async () => {
    const { place, session } = deployed();
    const log = createSession(place);
    log.message({ role: 'user', content: 'say\nit' });
    const start = log.append({ type: 'bash_start', command: 'ls', cwd: '/' });
    log.append({
      type: 'bash_end',
      start: start.id,
      exitCode: 2,
      stdout: 'out',
      stderr: 'err\n',
      changed: [{ path: '/a b', before: null, after: null }],
    });
    log.append({ type: 'bash_start', command: 'sleep', cwd: '/' });
    const call = { toolCallId: '1', toolName: 'read' };
    log.message({
      role: 'assistant',
      content: [{ type: 'tool-call', ...call, input: { path: '/a' } }],
    });
    log.message({
      role: 'tool',
      content: [{ type: 'tool-result', ...call, output: { type: 'error-text', value: 'no' } }],
    });
    log.close();
    const shown = (await session('show')).out.replaceAll(
      /[0-9A-Za-z]{26}|\d{4}-\d\d-\d\d [\d:]{8}/g,
      '*',
    );
    const parts = shown.split('\n\n');
    expect(parts[0]).toBe('session *, *');
    expect(parts).toContain('── *  *  user\n  say\n  it');
    expect(parts).toContain('── *  *  command, exit 2\n  $ ls\n  out\n  err\n  changed "/a b"');
    expect(shown).toContain('command, interrupted\n  $ sleep\n');
    expect(shown).toContain('  call of read\n');
    expect(shown).toContain('  failure of read\n  no\n');
    const items = JSON.parse((await session('show --json')).out) as { kind: string }[];
    expect(items[0]).toMatchObject({ kind: 'user' });
  });

  test('ends at the entry that is named, by its label or enough of its id', async () => {
    const { place, session } = deployed();
    const log = createSession(place);
    const first = log.message({ role: 'user', content: 'first' });
    const second = log.message({ role: 'user', content: 'second' });
    log.label(first.id, 'begin');
    log.close();
    for (const at of ['begin', first.id, first.id.slice(-6)]) {
      const { out } = await session(`show --at ${at}`);
      expect(out).toContain('first');
      expect(out).not.toContain('second');
    }
    expect((await session('show')).out).toContain('second');
    expect((await session(`label ${second.id} begin`)).status).toBe(0);
    await expect(session('show --at begin')).rejects.toMatchObject({
      reason: `"begin" is the label of 2: ${first.id}, ${second.id}; give the id`,
    });
    await session(`label ${second.id} --remove`);
    expect((await session('show --at begin')).out).not.toContain('second');
    await expect(session('show --at none')).rejects.toMatchObject({
      reason: expect.stringMatching(
        /^there is no entry "none"; "dirigent session tree \S+" names them$/,
      ),
    });
    expect((await session('tree')).out.split('\n').length).toBeGreaterThan(2);
  });

  test('says where there is no session, or none of that name', async () => {
    const { session, made } = deployed();
    await expect(session('show')).rejects.toMatchObject({ reason: 'there are no sessions yet' });
    made('x');
    await expect(session('show zzzz')).rejects.toMatchObject({
      reason: 'there is no session "zzzz"; "dirigent session ls --all" names them',
    });
  });
});

test('rm removes what is named, a fork before what it goes on from, and says so', async () => {
  const { place, session, made } = deployed();
  const [one, two] = [made('a'), made('b')];
  const file = new SessionFile(place, one).refresh();
  const at = file.tree.leaf ?? '';
  file.close();
  const fork = (await session(`fork --session ${one} --at ${at}`)).out.trim();
  await expect(session(`rm ${one}`)).rejects.toThrow();
  expect(await session(`rm ${one} ${fork}`)).toEqual({
    status: 0,
    out: `${fork} removed\n${one} removed\n`,
    err: '',
  });
  expect(JSON.parse((await session(`rm ${two} --json`)).out)).toEqual({ session: two });
  expect((await session('ls')).out).toBe('no sessions\n');
});

test('gc says what it removed, or would remove', async () => {
  const { at, session, made } = deployed();
  made('hello');
  mkdirSync(join(at, '.dirigent/blobs'), { recursive: true });
  expect((await session('gc --dry-run')).out).toMatch(/^would remove 0 of \d+ blobs, 0 bytes\n$/);
  expect((await session('gc')).out).toMatch(/^removed 0 of \d+ blobs, 0 bytes\n$/);
  expect(JSON.parse((await session('gc --json')).out)).toMatchObject({ removed: 0, bytes: 0 });
});

describe('fork', () => {
  test('makes a session that goes on from an entry, and says how it is opened', async () => {
    const { place, session } = deployed();
    const log = createSession(place);
    const first = log.message({ role: 'user', content: 'first' });
    log.message({ role: 'user', content: 'second' });
    log.close();
    const { out, err, status } = await session(`fork --at ${first.id}`);
    const id = out.trim();
    expect([status, err]).toEqual([
      0,
      `open it with: dirigent sh --session ${id}\ndirigent: no snapshot was taken before that entry: /workspace is empty\n`,
    ]);
    const shown = (await session(`show ${id}`)).out;
    expect(shown).toContain(`forked from ${log.id}`);
    expect(shown).toContain('first');
    expect(shown).not.toContain('second');
    const report = JSON.parse(
      (await session(`fork --at ${first.id} --session ${log.id} --json`)).out,
    );
    expect(report).toMatchObject({
      parentSession: log.id,
      at: first.id,
      workspace: null,
      missing: [],
    });
  });
});

describe('verify', () => {
  test('says up to where each session is as it was signed, and by whose key', async () => {
    const { session, made } = deployed();
    const [one, two] = [made('a'), made('b')];
    const { key } = JSON.parse((await session('key --json')).out) as { key: string };
    expect((await session('key')).out).toBe(`${key}\n`);
    const { status, out } = await session('verify --all');
    expect(status).toBe(0);
    expect(out).toContain(`${one} whole: 3 lines\n  signed to its end at `);
    expect(out).toContain(`${two} whole: 3 lines\n`);
    expect(out).toContain(` by ${key}\n`);
    expect((await session('verify')).out).toContain(two);
    const json = JSON.parse((await session(`verify ${one} --json`)).out) as object[];
    expect(json).toMatchObject([{ session: one, faults: [] }]);
    await session(`rm ${one}`);
    const rotated = JSON.parse((await session('key --rotate --json')).out) as object;
    expect(rotated).toMatchObject({ earlier: [key] });
    expect((await session(`verify --key ${key}`)).status).toBe(0);
    await expect(session('verify --key nonsense')).rejects.toMatchObject({
      reason: 'this is neither a public key (ed25519:…) nor a file with one',
    });
  });

  test('of what goes on unsigned says so', async () => {
    const { at, place, session, made } = deployed();
    const id = made('a');
    const log = resumeSession(place, id);
    log.message({ role: 'user', content: 'more' });
    const { out, status } = await session(`verify ${id}`);
    log.close();
    expect([status, out.split('\n')[0]]).toEqual([0, `${id} whole: 4 lines`]);
    expect(out).toMatch(/ {2}signed up to line 2 of 4 at \S+ by \S+; 1 after that are unsigned\n$/);
    expect(at).toBeDefined();
  });

  test('of a proof needs a key that is known from elsewhere', async () => {
    const { at, session, made } = deployed();
    made('a');
    const proof = join(at, 'x.proof');
    const { err, status } = await session(`export --proof -o ${proof}`);
    expect([status, err]).toEqual([
      0,
      expect.stringMatching(/^the proof goes up to line 2, signed at \S+ by ed25519:\S+\n$/),
    ]);
    await expect(session(`verify ${proof}`)).rejects.toMatchObject({
      reason: expect.stringContaining('give it with --key'),
    });
    const key = (await session('key')).out.trim();
    expect((await session(`verify ${proof} --key ${key}`)).status).toBe(0);
    const file = join(at, 'key.pub');
    writeFileSync(file, `${key}\n`);
    expect((await session(`verify ${proof} --key ${file}`)).status).toBe(0);
  });
});

test('export --html prints the page, or writes it where it is told to', async () => {
  const { at, session, made } = deployed();
  made('hello there');
  const { out } = await session('export --html');
  expect(out).toContain('hello there');
  const page = join(at, 'page.html');
  expect((await session(`export --html -o ${page}`)).out).toBe('');
  expect(readFileSync(page, 'utf8')).toBe(out);
});
