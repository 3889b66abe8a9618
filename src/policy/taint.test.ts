/** What a turn has read of services follows what the turn writes. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import type { ReadWhat } from './gate.ts';
import { HOST, UntrustedMarks } from './marks.ts';
import { type ChangeFacts, Taint, type TaintMount, type TurnTaint } from './taint.ts';

const MEMORY: TaintMount = { point: '/', kind: 'memory', outside: false };
const WORK: TaintMount = {
  point: '/workspace',
  kind: 'disk',
  outside: false,
  directory: '/home/w',
};
const SERVICE: TaintMount = { point: '/mnt/t', kind: 'tracker', outside: true };
const of = (kind: string, point: string): TaintMount => ({ kind, point, outside: false });
const SESSION = of('session', '/session');
const CHANGES = of('changes', '/session/changes');
const SCHEDULE = of('schedule', '/schedule');
const HARNESS = of('harness', '/harness');

const fresh = (): TurnTaint => ({ untrustedRead: false, origins: new Set() });
const having = (...origins: string[]): TurnTaint => ({
  untrustedRead: true,
  origins: new Set(origins),
});
/** A turn that has read text of the service. */
const TAINTED = having('/mnt/t');

function made(facts: readonly ChangeFacts[] = []) {
  const file = join(temporaryDirectory(), 'changes.sqlite');
  const marks = new UntrustedMarks({ file, session: 's', ancestors: [], workspace: null });
  onTestFinished(() => marks.close());
  const taint = new Taint(marks, 's', (id) => facts.find((each) => each.id === id) ?? null);
  /** What a fresh turn finds that it has read. */
  const read = (mount: TaintMount, path: string, what: ReadWhat = 'text') =>
    taint.read(mount, path, what, fresh());
  /** One operation of a turn that has read text of the service, or of one that has not. */
  const change = (method: string, path: string, other?: string, turn = TAINTED, mount = MEMORY) =>
    taint.changed(mount, method, path, other, turn);
  return { marks, taint, read, change };
}

const PAST = '/session/past/s';

test('whoever reads a service has read it, and so has the log', () => {
  const { taint, read } = made();
  expect(read(SESSION, '/session/log.jsonl')).toEqual([]);
  const turn = fresh();
  expect(taint.read(SERVICE, '/mnt/t/1.md', 'text', turn)).toEqual(['/mnt/t']);
  expect(turn).toEqual(TAINTED);
  expect(read(SESSION, '/session/log.jsonl')).toEqual(['/mnt/t']);
  expect(read(SESSION, PAST, 'tree')).toEqual(['/mnt/t']);
});

test('what is no service’s is read without a mark', () => {
  const { taint, read } = made();
  const turn = fresh();
  expect(taint.read(MEMORY, '/f', 'text', turn)).toEqual([]);
  expect(turn).toEqual(fresh());
  expect(read(SESSION, PAST, 'tree')).toEqual([]);
});

describe('a file', () => {
  test('that is written after a service was read is text of it; written anew by another turn it is not', () => {
    const { read, change } = made();
    change('write', '/f');
    expect(read(MEMORY, '/f')).toEqual(['/mnt/t']);
    // Its name was given before.
    expect([read(MEMORY, '/f', 'path'), read(MEMORY, '/', 'names')]).toEqual([[], []]);
    expect(read(MEMORY, '/', 'tree')).toEqual(['/mnt/t']);
    change('append', '/f', undefined, fresh());
    expect(read(MEMORY, '/f')).toEqual(['/mnt/t']);
    change('write', '/f', undefined, fresh());
    expect(read(MEMORY, '/f')).toEqual([]);
    change('append', '/f');
    expect(read(MEMORY, '/f')).toEqual(['/mnt/t']);
    change('unlink', '/f');
    expect(read(MEMORY, '/f')).toEqual([]);
  });

  test('has its mark under every other name that it gets, and the name of who gives it', () => {
    const { read, change } = made();
    change('write', '/f');
    change('rename', '/f', '/g', fresh());
    change('link', '/h', '/g', fresh());
    expect([read(MEMORY, '/f'), read(MEMORY, '/g'), read(MEMORY, '/h')]).toEqual([
      [],
      ['/mnt/t'],
      ['/mnt/t'],
    ]);
    expect(read(MEMORY, '/', 'names')).toEqual([]);
    change('rename', '/g', '/i', having('/mnt/u'));
    change('link', '/j', '/h', having('/mnt/v'));
    expect([read(MEMORY, '/i', 'path'), read(MEMORY, '/j', 'path')]).toEqual([
      ['/mnt/u'],
      ['/mnt/v'],
    ]);
    expect(read(MEMORY, '/', 'names')).toEqual(['/mnt/u', '/mnt/v']);
  });

  test.each(['mkdir', 'symlink'])(
    '%s makes of a name that was marked what the turn is',
    (method) => {
      const { read, change } = made();
      change(method, '/d');
      expect(read(MEMORY, '/', 'names')).toEqual(['/mnt/t']);
      expect(read(MEMORY, '/d')).toEqual(method === 'symlink' ? ['/mnt/t'] : []);
      change(method, '/d', undefined, fresh());
      expect([read(MEMORY, '/', 'names'), read(MEMORY, '/d')]).toEqual([[], []]);
    },
  );

  test('that is made has a name of the turn', () => {
    const { taint, read } = made();
    taint.made(MEMORY, '/d/f', TAINTED);
    expect([read(MEMORY, '/d', 'names'), read(MEMORY, '/d/f', 'path')]).toEqual([
      ['/mnt/t'],
      ['/mnt/t'],
    ]);
    // A path is made of the names above it, too.
    expect([read(MEMORY, '/d/f/g/h', 'path'), read(MEMORY, '/d', 'path')]).toEqual([
      ['/mnt/t'],
      [],
    ]);
    taint.made(MEMORY, '/d/f', fresh());
    expect(read(MEMORY, '/d', 'names')).toEqual([]);
  });

  test('below a directory that is removed is forgotten; a mode and a time are no text', () => {
    const { read, change } = made();
    change('write', '/d/f');
    change('rmdir', '/d');
    expect(read(MEMORY, '/', 'tree')).toEqual([]);
    change('chmod', '/x');
    change('utimes', '/x');
    expect(read(MEMORY, '/', 'tree')).toEqual([]);
  });

  test('of a service is not marked: it is the service’s', () => {
    const { marks, taint, change } = made();
    change('write', '/mnt/t/1.md', undefined, TAINTED, SERVICE);
    taint.made(SERVICE, '/mnt/t/1.md', TAINTED);
    expect(marks.isEmpty).toBe(true);
  });

  test('of a turn that began with such text, nobody knows of where, is text of an earlier turn', () => {
    const { read, change } = made();
    change('write', '/f', undefined, { untrustedRead: true, origins: new Set() });
    expect(read(MEMORY, '/f')).toEqual(['an earlier turn']);
  });
});

describe('the same file is meant', () => {
  test('by whatever mount a directory of the host is shown', () => {
    const { read, change, marks } = made();
    change('write', '/workspace/f', undefined, TAINTED, WORK);
    expect(marks.textOf({ scope: HOST, path: '/home/w/f' })).toEqual(['/mnt/t']);
    const above = { point: '/host', kind: 'disk', outside: false, directory: '/home' };
    expect(read(above, '/host/w/f')).toEqual(['/mnt/t']);
    expect(read({ ...above, point: '/', directory: '/home/w' }, '/f')).toEqual(['/mnt/t']);
    expect(read({ ...above, directory: '/' }, '/host/home/w', 'tree')).toEqual(['/mnt/t']);
    expect(read({ ...above, directory: '/' }, '/host', 'tree')).toEqual(['/mnt/t']);
    expect(read(WORK, '/workspace', 'tree')).toEqual(['/mnt/t']);
    expect(read(MEMORY, '/workspace/f')).toEqual([]);
  });

  test('by the path that an earlier version marked it by', () => {
    const { marks, read, change } = made();
    marks.mark({ scope: '', path: '/workspace/f' }, 'text', ['/mnt/old']);
    expect(read(WORK, '/workspace/f')).toEqual(['/mnt/old']);
    change('write', '/workspace/f', undefined, fresh(), WORK);
    expect(read(WORK, '/workspace/f')).toEqual([]);
  });

  test('in memory by one session alone, and in the workspace whenever it comes back', () => {
    const { marks, change } = made();
    for (const path of ['/workspace/f', '/tmp/f']) {
      change('write', path);
      change('unlink', path);
    }
    expect(marks.within({ scope: 's', path: '/' })).toEqual([]);
    marks.revive({ scope: 's', path: '/' });
    expect(marks.textOf({ scope: 's', path: '/workspace/f' })).toEqual(['/mnt/t']);
    expect(marks.textOf({ scope: 's', path: '/tmp/f' })).toEqual([]);
  });
});

describe('the runtime’s own files', () => {
  test('of a log are what was read in it; of the past any may be meant', () => {
    const { marks, taint, read } = made();
    marks.mark({ scope: '', path: '/session/past/other' }, 'text', ['/mnt/o']);
    expect(read(SESSION, '/session/log.jsonl')).toEqual([]);
    expect(read(SESSION, '/session', 'names')).toEqual([]);
    taint.note(fresh(), ['/mnt/t']);
    expect(read(SESSION, '/session/log.jsonl')).toEqual(['/mnt/t']);
    expect(read(SESSION, '/session', 'tree')).toEqual(['/mnt/o', '/mnt/t']);
    expect(read(SESSION, '/session/past/x/log.jsonl')).toEqual(['/mnt/o', '/mnt/t']);
    // Who has read that has it in its own log, too.
    expect(read(SESSION, '/session/log.jsonl')).toEqual(['/mnt/o', '/mnt/t']);
    expect(made().read(SESSION, '/session', 'tree')).toEqual([]);
  });

  test('of a change are text of its service where that speaks in it, and of the turn that made it', () => {
    const quoting = { id: 'c1', point: '/mnt/q', quotesService: true };
    const { taint, read } = made([quoting, { id: 'c2', point: '/mnt/q', quotesService: false }]);
    const path = (id: string) => `/session/changes/${id}/request.json`;
    expect([read(CHANGES, '/session/changes', 'names'), read(CHANGES, path('c2'))]).toEqual([
      [],
      [],
    ]);
    expect(read(CHANGES, path('c1'))).toEqual(['/mnt/q']);
    const { read: seen, taint: steps } = made([quoting]);
    steps.stepped(quoting, TAINTED);
    expect(seen(CHANGES, path('c1'))).toEqual(['/mnt/q', '/mnt/t']);
    expect(seen(SESSION, '/session/log.jsonl')).toEqual(['/mnt/q', '/mnt/t']);
    const other = { id: 'c2', point: '/mnt/q', quotesService: false };
    taint.stepped(other, fresh());
    taint.stepped(other, null);
    expect(read(SESSION, PAST, 'tree')).toEqual(['/mnt/q']);
  });

  test('of a step of a change have what is known of it by then', () => {
    const change = { id: 'c3', point: '/mnt/q', quotesService: false };
    const { taint, read } = made([change]);
    taint.stepped(change, null);
    taint.stepped(change, fresh());
    expect(read(SESSION, '/session/log.jsonl')).toEqual([]);
    taint.stepped(change, TAINTED);
    expect(read(CHANGES, '/session/changes/c3')).toEqual(['/mnt/t']);
    expect(read(SESSION, '/session/log.jsonl')).toEqual(['/mnt/t']);
  });

  test('of a question and an approval are what whoever asks has read, and what stands in the patch', () => {
    const { taint, read, change } = made();
    const view = (kind: string, id: string) =>
      read(of('view', '/session'), `/session/${kind}/${id}.md`);
    taint.asked('q1', []);
    taint.filed('a1', [], fresh());
    expect([view('questions', 'q1'), view('approvals', 'a1')]).toEqual([[], []]);
    expect(read(SESSION, '/session/log.jsonl')).toEqual([]);
    taint.asked('q2', ['/mnt/t']);
    expect([view('questions', 'q2'), view('plans', 'q2')]).toEqual([['/mnt/t'], ['/mnt/t']]);
    change('write', '/f', undefined, having('/mnt/u'));
    taint.filed(
      'a2',
      [
        [SERVICE, '/mnt/t/1.md'],
        [MEMORY, '/f'],
      ],
      fresh(),
    );
    expect(view('approvals', 'a2')).toEqual(['/mnt/t', '/mnt/u']);
    taint.filed('a3', [], having('/mnt/v'));
    expect(view('approvals', 'a3')).toEqual(['/mnt/v']);
    expect(read(SESSION, '/session/log.jsonl')).toEqual(['/mnt/t', '/mnt/u', '/mnt/v']);
  });

  test('of a scheduled prompt stay marked once it is begun, or done, whatever has its name then', () => {
    const { read, change } = made();
    change('write', '/schedule/report', undefined, TAINTED, SCHEDULE);
    const paths = ['report', 'running/report', 'done/2026-01-02T030405Z-report'];
    const texts = () => paths.map((path) => read(SCHEDULE, `/schedule/${path}`));
    expect(texts()).toEqual([['/mnt/t'], ['/mnt/t'], ['/mnt/t']]);
    expect(read(SCHEDULE, '/schedule', 'names')).toEqual(['/mnt/t']);
    expect(read(SCHEDULE, '/schedule/other')).toEqual([]);
    change('write', '/schedule/report', undefined, fresh(), SCHEDULE);
    expect(texts()).toEqual([[], ['/mnt/t'], ['/mnt/t']]);
  });

  test('of the harness tell what is in its files where they are made of them', () => {
    const { read, change } = made();
    change('write', '/harness/skills/a.md', undefined, TAINTED, HARNESS);
    expect(read(HARNESS, '/harness/skills/b.md')).toEqual([]);
    for (const path of ['/.errors', '/.bin/a', '/.bin', '/skills/a.md'])
      expect(read(HARNESS, `/harness${path}`), path).toEqual(['/mnt/t']);
    expect(read(HARNESS, '/harness/.binary')).toEqual([]);
    expect(read(HARNESS, '/harness/skills/.errors')).toEqual([]);
  });
});

test('text that came into a turn by another way is in its log as soon as it is new', () => {
  const { marks, taint, read } = made();
  const turn = having('/mnt/a');
  taint.note(turn, ['/mnt/a']);
  expect(marks.isEmpty).toBe(true);
  taint.note(turn, ['/mnt/a', '/mnt/b']);
  expect(turn.origins).toEqual(new Set(['/mnt/a', '/mnt/b']));
  expect(read(SESSION, '/session/log.jsonl')).toEqual(['/mnt/a', '/mnt/b']);
});
