/** What a person approved is what is done: whatever is put in its place afterwards is refused. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Approval, createWorld, type World } from '../../entry/index.ts';
import { APPROVED, type Approved } from './approved.ts';

const POLICY =
  'sandbox: full\nrules: [{name: docs, decision: ask, op: change, path: "/mnt/docs/**"}]\n';

let world: World;
const NOTHING = async (): Promise<void> => undefined;
/** What is done, while a question waits, before it is allowed. */
let meanwhile: NonNullable<Approved['swaps']>[number] | undefined;

/** A world in which every change of /mnt/docs asks. Whoever has another name has no earlier answers. */
beforeAll(() => {
  const root = mkdtempSync(join(tmpdir(), 'dirigent-test-'));
  for (const name of ['docs', 'harness']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'harness', 'policy.yaml'), POLICY);
  world = createWorld(
    { mounts: { '/mnt/docs': './docs:rw' }, state: join(root, 'state') },
    {
      deployment: root,
      onApproval: async ({ id, state }, { fs, approvals }) => {
        if (state !== 'pending' || meanwhile === undefined) return;
        await meanwhile(fs);
        await approvals.answer(id, { decision: 'allow' });
      },
    },
  );
  return async () => {
    await world.close();
    rmSync(root, { recursive: true, force: true });
  };
});

/** The files that a row begins with. */
async function reset({ before }: Approved): Promise<void> {
  meanwhile = undefined;
  const { fs, exec } = world;
  await exec('cd /; rm -rf /mnt/docs/* /workspace/*', { context: { origin: 'host' } });
  await fs.writeFile('/mnt/docs/a.md', 'old\n');
  await fs.writeFile('/workspace/f', 'mine\n');
  await before?.(fs);
}

const run = (command: string, actor: string, attended: boolean) =>
  world.exec(command, { context: { actor, attended } });

/** Runs a command with nobody there until all that it asks for is allowed once; gives what was asked. */
async function allowOnce(command: string, actor: string): Promise<Approval[]> {
  const asked: Approval[] = [];
  const { exitCode, stderr } = await run(command, actor, false);
  expect(exitCode, command).not.toBe(0);
  for (const [, id = ''] of stderr.matchAll(/dirigent approvals allow (\w+)/g)) {
    if (asked.some((each) => each.id === id)) continue;
    const answered = await world.approvals.answer(id, { decision: 'allow' });
    if (answered !== null) asked.push(answered);
  }
  expect(asked.length, stderr).toBeGreaterThan(0);
  return asked;
}

async function expectDone({ done }: Approved): Promise<void> {
  expect((await world.exec(done, { context: { origin: 'host' } })).exitCode, done).toBe(0);
}

for (const row of APPROVED) {
  test(`once: ${row.name} is done as it was shown, and not otherwise`, async () => {
    await reset(row);
    const asked = await allowOnce(row.command, `${row.name}`);
    const shown = asked.map(({ change }) => change).join('\n');
    for (const text of row.shown) expect(shown).toContain(text);
    for (const other of row.others ?? []) {
      const { exitCode, stderr } = await run(other, `${row.name}`, false);
      expect(exitCode, other).not.toBe(0);
      expect(stderr).toContain('changed since');
    }
    expect(await run(row.command, `${row.name}`, false)).toMatchObject({ exitCode: 0, stderr: '' });
    await expectDone(row);
    for (const [index, swap] of (row.swaps ?? []).entries()) {
      await reset(row);
      await allowOnce(row.command, `${row.name} ${index}`);
      await swap(world.fs);
      const { exitCode, stderr } = await run(row.command, `${row.name} ${index}`, false);
      expect(exitCode, String(index)).not.toBe(0);
      expect(stderr).toContain('changed since');
    }
  });

  test(`parked: ${row.name} is done as it was shown, and not otherwise`, async () => {
    await reset(row);
    meanwhile = NOTHING;
    const twin = await run(row.command, `${row.name} parked`, true);
    expect(twin).toMatchObject({ exitCode: 0, stderr: '' });
    await expectDone(row);
    for (const [index, swap] of (row.swaps ?? []).entries()) {
      await reset(row);
      meanwhile = swap;
      const { exitCode, stderr } = await run(row.command, `${row.name} parked ${index}`, true);
      if (row.readsAhead === true) await expectDone(row);
      else {
        expect(exitCode, String(index)).not.toBe(0);
        expect(stderr).toContain('changed while the approval was waited for');
      }
    }
  });
}
