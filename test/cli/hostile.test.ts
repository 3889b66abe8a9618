/**
 * Every command, shown text that was written to deceive: nothing of it moves the
 * cursor, hides, or stands where a line of ours would stand. Into a terminal and
 * into a pipe; JSON says the same as it came.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Approval } from '../../entry/index.ts';
import { installation } from '../../entry/installation.ts';
import { actOnApprovals } from '../../src/cli/approvals.ts';
import { choices, question } from '../../src/cli/approvals-inline.ts';
import { actOnChanges } from '../../src/cli/changes.ts';
import { complete } from '../../src/cli/completion.ts';
import { runHarness } from '../../src/cli/harness.ts';
import { readHistory } from '../../src/cli/history.ts';
import {
  type ApprovalsArguments,
  type ChangesArguments,
  parseInvocation,
} from '../../src/cli/options.ts';
import { Output } from '../../src/cli/output.ts';
import { runSession } from '../../src/cli/session.ts';
import { progressLine } from '../../src/cli/sync.ts';
import { TurnPrinter } from '../../src/cli/turn-printer.ts';
import { writeLines } from '../../src/cli/writes.ts';
import type { FsError } from '../../src/errors.ts';
import { createSession } from '../../src/session/index.ts';
import { sessionPlace } from '../../src/session/place.ts';
import { visible, visibleMessage } from '../../src/visible.ts';
import type { PlacedChange, WorldApprovals, WorldChanges } from '../../src/world/world.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { ALL, expectHarmless, expectRefusals, FORGED, TEXTS } from './hostile.ts';
import { cli, ROOT } from './run-cli.ts';

/** An output that keeps what it is given. */
function capture(columns?: number) {
  const printed = { out: '', err: '' };
  const put = (to: 'out' | 'err') => async (data: string | Uint8Array) => {
    printed[to] += Buffer.from(data).toString();
    return true;
  };
  const isTerminal = columns !== undefined;
  const output = new Output({
    out: put('out'),
    err: put('err'),
    outIsTerminal: isTerminal,
    errIsTerminal: isTerminal,
    columns: () => columns,
  });
  return { output, printed };
}

const ID = '01habcdefgh';

/** The arguments of a command, for one id or for the list; and `unknown` ids are what a forger types. */
function given(command: string, verb: string, json: boolean, id = ID) {
  const words = [command, verb, ...(verb === 'list' ? [] : [id]), ...(json ? ['--json'] : [])];
  const options = parseInvocation(words, installation.schemes);
  return { ...options, given: { mounts: [], deployment: undefined } };
}

const approvalOf = (text: string): Approval => ({
  id: ID,
  session: text,
  actor: text,
  people: [text],
  origin: 'agent' as Approval['origin'],
  op: 'write',
  path: `/mnt/${text}`,
  mount: text,
  operations: [
    { op: 'write', path: `/mnt/${text}`, mount: text },
    { op: 'unlink', path: text, mount: text },
  ],
  rule: text,
  reason: text,
  change: `--- a\n+++ b\n@@ -1 +1 @@\n+${text.replaceAll('\n', '\n+')}\n`,
  digest: 'd',
  state: 'pending',
  scope: null,
  prefix: text,
  answeredBy: text,
  createdAt: 0,
  answeredAt: 0,
  expiresAt: 0,
});

const changeOf = (text: string): PlacedChange => ({
  point: `/mnt/${text}`,
  id: ID,
  mount: '/mnt/x',
  path: `/${text}`,
  op: 'update',
  state: 'pending',
  idempotencyKey: 'k',
  baseVersion: null,
  base: text,
  mine: text,
  theirs: null,
  diff: `--- a\n+++ b\n@@ -1 +1 @@\n+${text.replaceAll('\n', '\n+')}\n`,
  request: { method: 'POST', url: `/x?${text}`, body: { [text]: text } },
  error: text,
  result: { path: text, url: text },
  digest: text,
  replacedBy: text,
  createdAt: 0,
  sentAt: 0,
  endedAt: 0,
});

describe.each([
  ['into a pipe', undefined],
  ['at a terminal', 60],
])('%s', (_, columns) => {
  test.each(['list', 'show', 'allow', 'deny'] as const)('approvals %s', async (verb) => {
    for (const text of TEXTS) {
      const approval = approvalOf(text);
      const answered = { ...approval, state: 'allowed', scope: 'prefix' } as Approval;
      const approvals = {
        list: async () => [approval],
        get: async () => approval,
        answer: async () => answered,
      } as unknown as WorldApprovals;
      for (const json of [false, true]) {
        const { output, printed } = capture(columns);
        const options = given('approvals', verb, json) as ApprovalsArguments;
        await actOnApprovals(approvals, options, output);
        expectHarmless(`${printed.out}${printed.err}`, text);
        if (json) expect(JSON.stringify(JSON.parse(printed.out))).toContain(JSON.stringify(text));
      }
    }
  });

  test('the question at the terminal, and its choices', () => {
    for (const text of [...TEXTS, ALL]) {
      const approval = approvalOf(text);
      for (const op of ['write', 'tool'] as const) {
        const asked = { ...approval, op, change: text } as Approval;
        expectHarmless(`${question(asked, columns)}${choices(asked)}`, text);
        for (const row of String(question(asked, columns)).split('\n'))
          expect(row.length).toBeLessThanOrEqual(2 * (columns ?? 80));
      }
    }
  });

  test.each(['list', 'show', 'apply', 'drop', 'settle'] as const)('changes %s', async (verb) => {
    for (const text of TEXTS) {
      const change = changeOf(text);
      const results = async () => [{ id: ID, state: 'failed', error: text }];
      const changes = {
        list: async () => [change],
        get: async () => change,
        apply: results,
        drop: results,
        settle: results,
      } as unknown as WorldChanges;
      for (const json of [false, true]) {
        const { output, printed } = capture(columns);
        const options = given('changes', verb, json);
        await actOnChanges(changes, options as ChangesArguments, output);
        expectHarmless(`${printed.out}${printed.err}`, text);
        if (json) expect(JSON.stringify(JSON.parse(printed.out))).toContain(JSON.stringify(text));
      }
    }
  });

  test('session ls, show, tree, diff, label, export and verify', async () => {
    const { deployment, id, leaf } = hostileSession();
    for (const words of [
      ['ls'],
      ['show', id],
      ['tree', id],
      ['diff', 'first', leaf],
      ['export', '--html', id],
      ['verify', '--all'],
      ['ls', '--json'],
      ['show', id, '--json'],
    ]) {
      const { output, printed } = capture(columns);
      const options = parseInvocation(['session', ...words], installation.schemes);
      if (options.action !== 'session') throw new Error('no session command');
      await runSession({ ...options, deployment }, output, installation);
      expect(printed.out.length, words.join(' ')).toBeGreaterThan(20);
      // A page of HTML has its own text at the beginning of a line.
      const forged = words[0] === 'export' ? printed.out.replaceAll(FORGED, '') : printed.out;
      expectHarmless(`${forged}${printed.err}`, words.join(' '));
      if (words[0] === 'export') {
        const page = join(deployment, 'page.html');
        await runSession({ ...options, deployment, output: page }, output, installation);
        expectHarmless(readFileSync(page, 'utf8').replaceAll(FORGED, ''), 'the page in a file');
      }
      if (words.includes('--json')) {
        const text = JSON.stringify(JSON.parse(printed.out));
        for (const each of words[0] === 'show' ? TEXTS : []) {
          expect(text).toContain(JSON.stringify(each).slice(1, -1));
        }
      }
    }
  });

  test('harness check, diff, accept and reject', async () => {
    const deployment = hostileHarness();
    for (const words of [['check'], ['diff'], ['accept', 'agents/none'], ['reject', '../x']]) {
      const { output, printed } = capture(columns);
      const options = parseInvocation(['harness', ...words], installation.schemes);
      if (options.action !== 'harness') throw new Error('no harness command');
      await runHarness({ ...options, deployment }, output, installation).catch((error: FsError) =>
        output.err(visible`dirigent: ${visibleMessage(error.reason ?? error.message)}\n`),
      );
      expect(printed.out.length + printed.err.length).toBeGreaterThan(20);
      expectHarmless(`${printed.out}${printed.err}`, words.join(' ').slice(0, 20));
    }
  });

  test('a turn: names of tools, their inputs, failures and notices', async () => {
    for (const text of TEXTS) {
      const { output, printed } = capture(columns);
      const printer = new TurnPrinter(output);
      for (const event of [
        { type: 'tool-start', name: text, input: { command: text, more: [text], [text]: 1 } },
        { type: 'tool-end', failed: true, text },
        { type: 'notice', text },
      ])
        printer.print({ transient: true, ...event } as never);
      await printer.finish();
      expectHarmless(`${printed.out}${printed.err}`, text);
    }
  });
});

test('what a model says keeps its lines, and nothing else that a terminal acts on, in whatever pieces it comes', async () => {
  const { output, printed } = capture();
  const printer = new TurnPrinter(output);
  for (const unit of `${ALL}\n\t👩‍👧`.split(''))
    printer.print({ transient: true, type: 'text-delta', text: unit } as never);
  await printer.finish();
  expect(printed.out.split('\n').length).toBeGreaterThan(TEXTS.length);
  expect(printed.out).toContain('\n\t👩‍👧');
  expectHarmless(printed.out.replaceAll(FORGED, ''), 'model');
});

test('nothing is printed between a question and its answer, and the question begins its line', async () => {
  const { output, printed } = capture(80);
  await output.out(visible`no newline`);
  const asked = Promise.withResolvers<void>();
  const done = output.whileAsking(async (say) => {
    await say(visible`allow? `);
    await asked.promise;
    await say(visible`yes\n`);
  });
  const later = output.err(visible`forged\n`);
  const bytes = output.bytes('stderr', Buffer.from('of a command\n'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(printed.err).toBe('\nallow? ');
  asked.resolve();
  await Promise.all([done, later, bytes]);
  expect(printed.err).toBe('\nallow? yes\nforged\nof a command\n');
});

test('lines of progress, lines about writes, candidates and history', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'history'), `ls\n${ALL}\necho ü\n`);
  expectHarmless(readHistory(join(directory, 'history')).join(' '), 'history');
  expect(readHistory(join(directory, 'history'))).toEqual(expect.arrayContaining(['echo ü', 'ls']));
  for (const text of TEXTS) {
    const running = [{ what: text, done: 1, total: 2, startedAt: 0 }];
    expectHarmless(String(progressLine({ running, requests: 1, bytes: 1 }, 1)), text);
    const write = { id: text, op: 'create', path: `/${text}`, url: text, summary: text } as const;
    for (const state of ['pending', 'applied', 'unknown'] as const)
      for (const line of writeLines([{ ...write, state }], '/', (words) => `dirigent ${words}`))
        expectHarmless(String(visible`${line}\n`), text);
    const names = [text.replaceAll('/', '_')];
    for (const typed of ['cat ', "cat '", 'cat "']) {
      const [candidates] = await complete(typed, '/', {
        commands: async () => names,
        fs: {
          readdirWithFileTypes: async () =>
            names.map((name) => ({
              name,
              isDirectory: false,
              isFile: true,
              isSymbolicLink: false,
            })),
        },
      } as never);
      expect(candidates).toHaveLength(1);
      expectHarmless(candidates.join(), text);
    }
  }
});

test('a process: what is wrong with its arguments and its config, and what a command printed is not touched', async () => {
  await expectRefusals(['an argument', 'a config']);
  const raw = await cli(['sh', '-c', "printf '\\033[31m\\r\\233'"]);
  expect([...raw.stdout]).toEqual([...Buffer.from('\x1b[31m\r'), 0x9b]);
});

test.skipIf(spawnSync('script', ['--version']).error !== undefined)(
  'at a pseudo-terminal: what is decided is broken before the terminal breaks it',
  async () => {
    const deployment = hostileHarness();
    const long = `${'x'.repeat(56)}${FORGED} `.repeat(20);
    writeFileSync(join(deployment, '.dirigent/proposals/AGENTS.md'), `${long}\n${ALL}\n`);
    const main = join(ROOT, 'entry/main.ts');
    const command = `stty cols 60; exec "${process.execPath}" "${main}" harness diff --deployment "${deployment}" 2>&1`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill());
    let printed = '';
    for await (const data of child.stdout.setEncoding('utf8')) printed += data;
    const rows = printed.replaceAll('\r\n', '\n');
    expectHarmless(rows, 'harness diff');
    const broken = rows.split('\n').filter((row) => row.startsWith('+↪'));
    expect(broken.length).toBeGreaterThan(10);
    for (const row of rows.split('\n').filter((each) => /^[-+]/.test(each)))
      expect([...row.replace(/\p{M}/gu, '')].length, row).toBeLessThanOrEqual(60);
  },
);

/** A session in which everything that can be is hostile. */
function hostileSession() {
  const deployment = temporaryDirectory();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  const state = join(deployment, '.dirigent');
  mkdirSync(state);
  const place = sessionPlace(state);
  const log = createSession(place);
  const blobs = place.blobs;
  const file = (text: string, name: string): string => {
    const hash = blobs.put(Buffer.from(text), false);
    return blobs.put(
      Buffer.from(JSON.stringify([[name, 'f', 0o644, text.length, 0, hash]])),
      false,
    );
  };
  const first = log.append({
    type: 'bash_end',
    start: 'x',
    exitCode: 0,
    workspace: file('old\n', 'f'),
  });
  log.label(first.id, 'first');
  for (const text of TEXTS) {
    log.message({ role: 'user', content: text });
    const call = { toolCallId: text, toolName: text };
    log.message({
      role: 'assistant',
      content: [
        { type: 'text', text },
        { type: 'reasoning', text },
        { type: 'tool-call', ...call, input: { [text]: text } },
      ],
    });
    log.message({
      role: 'tool',
      content: [{ type: 'tool-result', ...call, output: { type: 'error-text', value: text } }],
    });
    const start = log.append({ type: 'bash_start', command: text, cwd: text });
    log.append({
      type: 'bash_end',
      start: start.id,
      exitCode: 1,
      stdout: text,
      stderr: text,
      changed: [{ path: `/${text}`, before: null, after: null }],
    });
    log.append({ type: 'custom', name: `x/${text}`, data: text });
    log.append({ type: 'approval', approval: { state: text, op: text, path: text, id: text } });
  }
  log.label(log.tree.leaf ?? '', ALL);
  const leaf = log.append({
    type: 'bash_end',
    start: 'y',
    exitCode: 0,
    workspace: file(ALL, ALL.replaceAll('/', '_')),
  }).id;
  log.close();
  return { deployment, id: log.id, leaf };
}

/** Files and proposals with hostile names and contents, as far as a host's file system takes them. */
function hostileHarness(): string {
  const deployment = temporaryDirectory();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  for (const directory of ['harness/agents', '.dirigent/proposals/agents'])
    mkdirSync(join(deployment, directory), { recursive: true });
  for (const text of TEXTS) {
    const name = text.replaceAll('/', '_').replaceAll('\0', '').toWellFormed().slice(0, 60);
    for (const directory of ['harness/agents', '.dirigent/proposals/agents'])
      writeFileSync(join(deployment, directory, `${name}.md`), `${ALL}\n`);
  }
  const policy = `rules:\n  - ${JSON.stringify(ALL)}: 1\n`;
  writeFileSync(join(deployment, '.dirigent/proposals/policy.yaml'), policy);
  writeFileSync(join(deployment, 'harness/AGENTS.md'), readFileSync(import.meta.filename));
  return deployment;
}
