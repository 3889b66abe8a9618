/** What people type for an id, and what becomes of the sessions of single commands. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveId } from '../../src/cli/ids.ts';
import { ScheduleJournal, scheduleFile } from '../../src/schedule/journal.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { cli } from './run-cli.ts';

const choice = { what: 'change', names: 'dirigent changes list' };

test('an id is meant by any beginning or end that only one has, in capitals or not', () => {
  const ids = ['01abcx7', '01abcy8', '01abcx78'];
  for (const typed of ['01abcy8', '01ABCY', 'y8', 'Y8', '01abcy'])
    expect(resolveId(ids, typed, choice)).toBe('01abcy8');
  // A whole id is itself, though another one begins with it.
  expect(resolveId(ids, '01abcx7', choice)).toBe('01abcx7');
});

test('where several are meant they are named, and where none is what is like it', () => {
  const ids = ['01abcx7', '01abcy8'];
  const describe = (id: string): string => `about ${id}`;
  expect(() => resolveId(ids, '01', { ...choice, describe })).toThrow(
    expect.objectContaining({
      reason:
        '"01" may be any of 2; give more of it:\n  01abcx7  about 01abcx7\n  01abcy8  about 01abcy8',
    }),
  );
  expect(() => resolveId(ids, '01abxx7', choice)).toThrow(
    expect.objectContaining({
      reason:
        'there is no change "01abxx7" (did you mean 01abcx7?); "dirigent changes list" names them',
    }),
  );
  expect(() => resolveId(ids, '', choice)).toThrow(/no such file/);
});

test('of many that may be meant eight are named, and the others counted', () => {
  const message = (count: number): string => {
    try {
      return resolveId(
        Array.from({ length: count }, (_, at) => `id-${at}`),
        'id',
        choice,
      );
    } catch (error) {
      return `${(error as { reason?: string }).reason}`;
    }
  };
  const eight = Array.from({ length: 8 }, (_, at) => `\n  id-${at}`).join('');
  expect(message(8)).toBe(`"id" may be any of 8; give more of it:${eight}`);
  expect(message(11)).toBe(`"id" may be any of 11; give more of it:${eight}\n  and 3 more`);
});

/** A deployment, and what its sessions are. */
function deployment(): { at: string[]; directory: string; sessions(): string[] } {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'dirigent.config.mjs'), 'export default {};\n');
  const sessions = join(directory, '.dirigent', 'sessions');
  mkdirSync(sessions, { recursive: true });
  return {
    at: ['--deployment', directory],
    directory,
    sessions: () => readdirSync(sessions).sort(),
  };
}

test('the session of one command is kept only where that is asked for; its files are', async () => {
  const { at, sessions } = deployment();
  const passing = await cli(['sh', ...at, '-c', 'echo x > f; wc -l < /session/log.jsonl']);
  expect([passing.stdout.toString(), passing.stderr, passing.status]).toEqual(['2\n', '', 0]);
  expect(sessions()).toEqual([]);
  const kept = await cli(['sh', ...at, '--keep', '-c', 'cat f']);
  expect(kept.stdout.toString()).toBe('x\n');
  const [id = ''] = sessions();
  expect(id).not.toBe('');
  // Enough of its end goes on with it, and it stays.
  const again = await cli(['sh', ...at, '--session', id.slice(-5).toLowerCase(), '-c', 'echo y']);
  expect([again.stdout.toString(), again.stderr]).toEqual(['y\n', '']);
  expect(sessions()).toEqual([id]);
  const nobody = await cli(['sh', ...at, '--session', 'nobody', '-c', 'echo y']);
  expect([nobody.stdout.toString(), nobody.status]).toEqual(['', 1]);
  expect(nobody.stderr).toBe(
    `dirigent: there is no session "nobody"; "dirigent session ls --all ${at.join(' ')}" names them\n`,
  );
});

test('session ls shows the newest 20; rm removes all that are named, or says why not', async () => {
  const { at, directory, sessions } = deployment();
  for (let count = 0; count < 22; count++) {
    const world = testWorld({ state: join(directory, '.dirigent') }, { deployment: directory });
    world.session.append({ type: 'custom', name: 'test/count', data: { count } });
    await world.close();
  }
  const newest = await cli(['session', 'ls', ...at]);
  expect(newest.stdout.toString().trimEnd().split('\n')).toHaveLength(20);
  expect(newest.stderr).toContain('2 older ones are not shown; "dirigent session ls --all ');
  const all = await cli(['session', 'ls', '--all', ...at]);
  expect(all.stdout.toString().trimEnd().split('\n')).toHaveLength(22);
  const [first = '', second = ''] = sessions();
  const fork = await cli(['session', 'fork', '--session', first, '--at', 'missing', ...at]);
  expect(fork.stderr).toMatch(/there is no entry "missing"; "dirigent session tree \w+ --dep/);
  const log = readFileSync(join(directory, '.dirigent', 'sessions', first, 'log.jsonl'), 'utf8');
  const { id: entry } = JSON.parse(log.trimEnd().split('\n').at(-1) ?? '') as { id: string };
  const forked = (await cli(['session', 'fork', '--session', first, '--at', entry, ...at])).stdout
    .toString()
    .trim();
  const refused = await cli(['session', 'rm', first, ...at]);
  expect([refused.stderr, refused.status]).toEqual([
    `dirigent: session ${first} is where ${forked} goes on from; remove that first, or both at once\n`,
    1,
  ]);
  const removed = await cli(['session', 'rm', first, forked.slice(-6), second, ...at]);
  expect([removed.stderr, removed.status]).toEqual(['', 0]);
  expect(sessions()).toHaveLength(20);
  expect(sessions()).not.toContain(first);
  // What was removed on purpose is not missed.
  const verified = await cli(['session', 'verify', '--all', ...at]);
  expect([verified.stderr, verified.status]).toEqual(['', 0]);
});

test('a scheduled prompt is shown, removed and run by enough of its name', async () => {
  const { at, directory } = deployment();
  const journal = new ScheduleJournal(scheduleFile(join(directory, '.dirigent')));
  const text = '---\nat: 2999-01-01\nmodel: builtin/extract\n---\nLook at it.\n';
  for (const name of ['review-a.md', 'review-b.md', 'later.md']) journal.write(name, text);
  const shown = await cli(['schedule', 'show', 'lat', ...at]);
  expect(shown.stdout.toString()).toBe(`/session/schedule/later.md: waiting\n\n${text}`);
  const both = await cli(['schedule', 'rm', 'review', ...at]);
  expect([both.stderr, both.status]).toEqual([expect.stringContaining('any of 2'), 1]);
  const removed = await cli(['schedule', 'rm', '/session/schedule/review-b.md', ...at]);
  expect(removed.stdout.toString()).toBe('/session/schedule/review-b.md removed\n');
  const ran = await cli(['schedule', 'run', 'later', ...at]);
  expect([ran.status, journal.list().map(({ name, state }) => [name, state])]).toEqual([
    0,
    [
      ['review-a.md', 'waiting'],
      ['later.md', 'done'],
    ],
  ]);
  journal.close();
});

test('a proposal is named by enough of its path, as the world has it or below the harness', async () => {
  const { at, directory } = deployment();
  mkdirSync(join(directory, 'harness'));
  const proposal = join(directory, '.dirigent', 'proposals', 'skills', 'tidy');
  mkdirSync(proposal, { recursive: true });
  writeFileSync(join(proposal, 'SKILL.md'), '---\nname: tidy\ndescription: Tidies\n---\nTidy.\n');
  const diff = await cli(['harness', 'diff', '/harness/proposals/skills/tidy/SKILL.md', ...at]);
  expect(diff.stdout.toString()).toContain('+description: Tidies');
  const accepted = await cli(['harness', 'accept', 'tidy/SKILL.md', ...at]);
  expect([accepted.stdout.toString(), accepted.stderr]).toEqual([
    'skills/tidy/SKILL.md accepted\n',
    '',
  ]);
  const gone = await cli(['harness', 'reject', 'tidy/SKILL.md', ...at]);
  expect(gone.stderr).toMatch(
    /there is no proposal "tidy\/SKILL.md"; "dirigent harness diff --dep/,
  );
});
