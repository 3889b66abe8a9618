/** Deciding at the command line: what was shown is what is accepted, or sent, and nothing else. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { actOnChanges } from '../../src/cli/changes.ts';
import { confirmWith, yesOrNo } from '../../src/cli/confirm.ts';
import { actOnProposals } from '../../src/cli/harness.ts';
import { Output } from '../../src/cli/output.ts';
import { visible } from '../../src/visible.ts';
import type { PlacedChange, WorldChanges } from '../../src/world/world.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { cli } from './run-cli.ts';

const GIVEN = { mounts: [], deployment: undefined };

/** An output that keeps what was printed. */
function printed(): { output: Output; text(): string } {
  let all = '';
  const keep = async (data: string | Uint8Array): Promise<boolean> => {
    all += Buffer.from(data).toString();
    return true;
  };
  const output = new Output({ out: keep, err: keep, errIsTerminal: true, outIsTerminal: true });
  return { output, text: () => all };
}

/** A deployment with a proposal for AGENTS.md. */
function deployment() {
  const root = temporaryDirectory();
  const proposals = join(root, '.dirigent', 'proposals');
  for (const directory of [join(root, 'harness'), proposals])
    mkdirSync(directory, { recursive: true });
  writeFileSync(join(root, 'dirigent.config.ts'), 'export default {};\n');
  writeFileSync(join(root, 'harness', 'AGENTS.md'), 'mine\n');
  const propose = (text: string): void => writeFileSync(join(proposals, 'AGENTS.md'), text);
  propose('harmless\n');
  const says = (): string => readFileSync(join(root, 'harness', 'AGENTS.md'), 'utf8');
  return { root, proposals, propose, says };
}

test('with nobody at a terminal, a proposal is accepted as diff showed it, or by its digest', async () => {
  const { root, propose, says } = deployment();
  const harness = async (...args: string[]) => {
    const { stdout, stderr, status } = await cli(['harness', ...args, '--deployment', root]);
    return { stdout: stdout.toString(), stderr, status };
  };
  expect(await harness('accept', 'AGENTS.md')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('nobody was shown'),
  });
  const [, harmless = ''] = /digest: ([0-9a-f]{64})\n/.exec((await harness('diff')).stdout) ?? [];
  propose('evil\n');
  expect(await harness('accept', 'AGENTS.md')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('not what was shown'),
  });
  expect(await harness('accept', 'AGENTS.md', '--digest', harmless)).toMatchObject({ status: 1 });
  propose('harmless\n');
  writeFileSync(join(root, 'harness', 'AGENTS.md'), 'mine, edited since\n');
  expect(await harness('accept', 'AGENTS.md')).toMatchObject({ status: 1 });
  expect(says()).toBe('mine, edited since\n');
  writeFileSync(join(root, 'harness', 'AGENTS.md'), 'mine\n');
  expect(await harness('accept', 'AGENTS.md')).toMatchObject({ status: 0, stderr: '' });
  expect(says()).toBe('harmless\n');
  // What was shown once is not accepted for ever.
  propose('harmless\n');
  expect(await harness('accept', 'AGENTS.md')).toMatchObject({ status: 1 });
  expect(await harness('diff', '--digest', harmless)).toMatchObject({ status: 2 });
  expect(await harness('accept', 'a', 'b', '--digest', harmless)).toMatchObject({ status: 2 });
});

test('at a terminal, a proposal is shown, and what was shown is accepted or left', async () => {
  const { root, proposals, propose, says } = deployment();
  const directories = { own: join(root, 'harness'), defaults: join(root, 'none'), proposals };
  const { output, text } = printed();
  const act = (answer: () => string) =>
    actOnProposals(
      {
        directories,
        shown: join(root, 'shown.json'),
        confirm: confirmWith(output, async () => ({ line: answer() })),
      },
      { verb: 'accept', paths: ['AGENTS.md'], digest: undefined, given: GIVEN },
      output,
    );
  expect(await act(() => 'n')).toBe(1);
  expect(text()).toContain('-mine\n+harmless\n');
  const swapped = (): string => {
    propose('evil\n');
    return 'yes';
  };
  expect(await act(swapped)).toBe(1);
  expect([says(), text()]).toEqual(['mine\n', expect.stringContaining('not what was shown')]);
  expect(await act(() => 'y')).toBe(0);
  expect(says()).toBe('evil\n');
});

const OPTIONS = {
  verb: 'apply',
  json: false,
  all: false,
  last: false,
  given: GIVEN,
} as const;

test('at a terminal, changes are shown before they are sent, and no others are', async () => {
  const change = (id: string, state = 'pending') =>
    ({
      id,
      state,
      digest: `digest of ${id}`,
      op: 'update',
      mount: 'm',
      path: `/${id}.md`,
      diff: `-old\n+new ${id}\n`,
      createdAt: 0,
      sentAt: null,
      endedAt: null,
      result: null,
      error: null,
      request: null,
      replacedBy: state === 'dropped' ? 'two' : null,
      point: null,
    }) as unknown as PlacedChange;
  const known = [change('one', 'dropped'), change('two'), change('three')];
  const applied: unknown[] = [];
  const changes = {
    list: async () => known,
    get: async (id: string) => known.find((each) => each.id === id) ?? null,
    apply: async (named: unknown) => {
      applied.push(named);
      return [];
    },
  } as unknown as WorldChanges;
  const apply = async (ids: string[], yes: boolean | null) => {
    const { output, text } = printed();
    const line = yes === true ? 'y' : 'n';
    const confirm = yes === null ? null : confirmWith(output, async () => ({ line }));
    const options = { ...OPTIONS, ids };
    return [await actOnChanges(changes, options, output, confirm), text()] as const;
  };
  const [refused, shown] = await apply(['two', 'three'], false);
  expect([refused, applied]).toEqual([1, []]);
  for (const each of ['+new two', 'digest of two', '+new three', 'nothing was sent'])
    expect(shown).toContain(each);
  await apply(['two'], true);
  await apply(['two'], null);
  const two = { id: 'two', digest: 'digest of two' };
  expect(applied).toEqual([[two], [two]]);
});

test('nothing is printed between what is shown, the question and the answer', async () => {
  const { output, text } = printed();
  await output.out(visible`no newline`);
  let later: Promise<boolean> | undefined;
  const lines = ['what?', 'y'];
  const confirm = confirmWith(output, async (prompt) => {
    later ??= output.err(visible`forged\n`);
    await new Promise((resolve) => setImmediate(resolve));
    expect(String(prompt)).toBe('send it? y yes, n no: ');
    expect(text()).toBe('no newline\nshown\n');
    return { line: lines.shift() ?? '' };
  });
  expect(await confirm(visible`shown\n`, visible`send it?`)).toBe(true);
  await later;
  expect(text()).toBe('no newline\nshown\nforged\n');
});

test('yes is y or yes, no is n or no, and anything else is asked again', () => {
  expect(['y', ' YES ', 'n', 'No', '', 'yy'].map(yesOrNo)).toEqual([
    true,
    true,
    false,
    false,
    null,
    null,
  ]);
});
