/** What the doctor says of what it looks at, and what to do. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import type { CheckedConfig } from '../world/config.ts';
import type { ProbedMount } from '../world/probe.ts';
import type { World } from '../world/world.ts';
import { printCheck } from './doctor.ts';
import type { Check, DoctorContext } from './doctor-check.ts';
import { checkIndex, checkPeers, checkProgram, checkState } from './doctor-host.ts';
import { checkModel, checkModelFacts, checkWorld } from './doctor-world.ts';
import type { DoctorArguments } from './options.ts';
import { isCalledDirigent, keptOutput, WORLD } from './testing.ts';

const context = (env: Record<string, string> = {}): DoctorContext => ({
  options: WORLD,
  host: { deployment: null, cwd: '/', env },
  timeoutMs: 10,
});

async function all(checks: AsyncIterable<Check> | Iterable<Check>): Promise<Check[]> {
  const found: Check[] = [];
  for await (const check of checks) found.push(check);
  return found;
}

test('a check is a line, its state first, with what to do below it', async () => {
  const { output, out } = keptOutput();
  await printCheck({ what: 'a', state: 'ok', text: 'fine\nmore' }, output);
  await printCheck({ what: 'b', state: 'warn', text: 'so', advice: 'do it' }, output);
  expect(out()).toBe('ok    a: fine\n        more\nwarn  b: so\n        do it\n');
  const { output: terminal, out: styled } = keptOutput({ outIsTerminal: true });
  await printCheck({ what: 'a', state: 'fail', text: 'no' }, terminal);
  expect(styled()).toMatch(/^\x1b\[31mfail\x1b\[\S* {2}a: no\n$/);
});

describe('the host', () => {
  test('has a program that runs, and packages that are there or not', async () => {
    expect(checkProgram()).toEqual({
      what: 'program',
      state: 'ok',
      text: expect.stringMatching(/^dirigent \d\S* on Node \d/),
    });
    const [peers] = await all(checkPeers());
    expect(peers).toMatchObject({ what: 'optional packages', state: 'ok' });
  });

  test('has a state directory that its user alone writes, or will have', async () => {
    const at = temporaryDirectory();
    const check = async (path: string) => (await all(checkState(path)))[0];
    expect(await check(join(at, 'new/er'))).toMatchObject({
      text: expect.stringMatching(/\/new\/er \(not made yet\), [\d.]+ \wB free$/),
    });
    const state = join(at, 'state');
    mkdirSync(state);
    const open = await check(state);
    expect(open?.text).not.toContain('not made yet');
    chmodSync(state, 0o777);
    if (open?.state === 'ok')
      expect(await check(state)).toMatchObject({
        state: 'warn',
        advice: `other users may write there, and so change logs and answers: chmod go-w ${state}`,
      });
  });

  test('has an index, or builds it with the first search', async () => {
    isCalledDirigent();
    const at = temporaryDirectory();
    const options = { action: 'doctor', ...WORLD } as unknown as DoctorArguments;
    expect(await all(checkIndex(at, options))).toEqual([
      {
        what: 'index',
        state: 'ok',
        text: 'none yet',
        advice: 'the first search builds it; "dirigent index" does so ahead',
      },
    ]);
    writeFileSync(join(at, 'index.sqlite'), 'x'.repeat(1500));
    const [built] = await all(checkIndex(at, options));
    expect(built?.text).toMatch(/^1\.5 kB, last written \d{4}-.*Z$/);
  });
});

describe('a world', () => {
  const probed = (more: Partial<ProbedMount> = {}): ProbedMount =>
    ({ point: '/mnt/t', kind: 'tracker', limit: null, held: null, ...more }) as ProbedMount;
  const config = (variable = 'TRACKER_TOKEN') =>
    ({
      mounts: new Map([
        ['/mnt/t', { source: { tokenEnv: variable }, tokenEnv: variable }],
        ['/mnt/docs', { source: { tokenEnv: null } }],
      ]),
    }) as unknown as CheckedConfig;

  /** What is said of a world with this probe, and of its journal. */
  async function said(
    probe: ProbedMount | null,
    { env = {}, changes = [] as string[], approvals = 0 } = {},
  ) {
    isCalledDirigent();
    const world = {
      probe: async () => (probe === null ? [] : [probe]),
      mounts: [
        { point: '/mnt/t', kind: 'tracker', service: true },
        { point: '/mnt/docs', kind: 'disk', service: false },
        { point: '/tmp', kind: 'memory', service: false },
      ],
      changes: { list: async () => changes.map((state) => ({ state })) },
      approvals: { list: async () => Array.from({ length: approvals }) },
      harness: { own: null, defaults: join(temporaryDirectory(), 'none') },
    } as unknown as World;
    const checks = await all(checkWorld(world, config(), context(env)));
    return new Map(checks.map(({ what, ...rest }) => [what, rest]));
  }
  const env = { TRACKER_TOKEN: 't' };

  test('says of each mount of the config who we are there, and what is left', async () => {
    const of = async (more: Partial<ProbedMount>) =>
      (await said(probed(more), { env })).get('/mnt/t');
    expect(await of({})).toEqual({ state: 'ok', text: 'tracker' });
    expect(await of({ account: 'ana' })).toEqual({ state: 'ok', text: 'tracker as ana' });
    const limit = (remaining: number) => ({ remaining, of: 100, resetAt: 'noon' });
    expect(await of({ limit: limit(10) as never })).toEqual({
      state: 'ok',
      text: 'tracker, 10 of 100 requests left until noon',
    });
    expect(await of({ limit: limit(9) as never })).toMatchObject({ state: 'warn' });
    expect(await of({ held: { records: 3, confirmedAt: 'noon' } as never })).toEqual({
      state: 'ok',
      text: 'tracker; 3 records held, confirmed noon',
    });
    const whole = await said(null, { env });
    expect([whole.get('/mnt/t'), whole.get('/mnt/docs'), whole.has('/tmp')]).toEqual([
      { state: 'ok', text: 'tracker, cannot be asked' },
      { state: 'ok', text: 'disk' },
      false,
    ]);
  });

  test('says which token is missing, or was refused', async () => {
    const advice = 'set TRACKER_TOKEN where dirigent is started';
    expect((await said(probed())).get('/mnt/t')).toEqual({
      state: 'warn',
      text: 'tracker; no token',
      advice,
    });
    expect((await said(probed({ error: 'refused' }))).get('/mnt/t')).toEqual({
      state: 'fail',
      text: 'tracker: refused',
      advice,
    });
    expect((await said(probed({ error: 'refused' }), { env })).get('/mnt/t')).toMatchObject({
      advice: 'look at the token in TRACKER_TOKEN, and at the network',
    });
  });

  test('says what waits in its journal', async () => {
    const quiet = await said(null, { changes: ['pending', 'applied', 'pending'], approvals: 3 });
    expect(quiet.get('journal')).toEqual({
      state: 'ok',
      text: '2 changes and 3 approvals wait, 0 changes are unknown',
    });
    expect((await said(null, { changes: ['unknown'] })).get('journal')).toEqual({
      state: 'warn',
      text: '0 changes and 0 approvals wait, 1 changes are unknown',
      advice: '"dirigent changes settle --all" asks what came of them',
    });
  });
});

describe('a model', () => {
  const model = async (agent: object, env: Record<string, string> = {}) =>
    (await all(checkModel(agent, context(env))))[0];

  test('is the one that the config says, or that is found', async () => {
    expect(await model({ model: 'builtin/extract' })).toEqual({
      what: 'model',
      state: 'ok',
      text: 'builtin/extract, as the config says',
      advice: expect.stringContaining('it searches and quotes, and concludes nothing'),
    });
    expect(await model({ model: 'openai/x' })).toMatchObject({
      state: 'fail',
      text: expect.stringContaining('openai/x, as the config says'),
      advice: expect.stringContaining('OPENAI_API_KEY'),
    });
  });

  test('has facts: what it reads and costs, as far as that is known', async () => {
    const facts = (agent: object) =>
      checkModelFacts({ agent, parts: undefined } as never, context());
    expect(await facts({ model: 'builtin/extract' })).toMatchObject({ state: 'ok' });
    expect(await facts({ model: 'none/none' })).toEqual({
      what: 'model facts',
      state: 'ok',
      text: 'nothing is known of it',
    });
    expect(await facts({ model: 'none/none', contextWindow: 99 })).toMatchObject({
      text: 'reads 99 tokens; its prices are not known',
    });
    expect(await facts({ model: 'none/none', budget: { moneyPerTurn: 1 } })).toMatchObject({
      state: 'warn',
      advice: 'give the prices of none/none in models.yaml of the deployment',
    });
  });
});
