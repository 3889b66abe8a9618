/** Parts that a deployment puts in the place of the house's: named, loaded, asked in time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PART_NAMES, type PartName, type PartSpec, partsSchema, planParts } from './config.ts';
import { inTime } from './in-time.ts';
import { loadPart, loadPartNow } from './load.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-parts-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
function written(text: string, ending = 'mjs'): string {
  const name = `part${files++}.${ending}`;
  writeFileSync(join(directory, name), text);
  return name;
}
const specOf = (name: PartName, module: string, more: Partial<PartSpec> = {}): PartSpec => ({
  name,
  module: `./${module}`,
  file: join(directory, module),
  directory,
  options: { a: 1 },
  env: { KEY: 'k' },
  ...more,
});
const part = (name: PartName, text: string, ending?: string) => specOf(name, written(text, ending));

describe('the config of parts', () => {
  it('has one for each part, as a module or that with what it is handed', () => {
    const all = Object.fromEntries(PART_NAMES.map((name) => [name, './x.ts']));
    expect(partsSchema.parse(all)).toEqual(all);
    const whole = { module: 'x', options: [1, { a: null }], env: ['A'] };
    expect(partsSchema.parse({ policy: whole })).toEqual({ policy: whole });
    for (const wrong of [
      { other: './x.ts' },
      { policy: '' },
      { policy: { module: '' } },
      { policy: { options: 1 } },
      { policy: { module: 'x', env: [''] } },
      { policy: { module: 'x', more: 1 } },
    ])
      expect(partsSchema.safeParse(wrong).success).toBe(false);
  });

  it('is planned with the file of each, and the variables that it names and that are there', () => {
    const [one, two] = [written(''), written('')];
    const env = { A: 'a', B: '', C: 'c' };
    const policy = { module: `./${one}`, options: { x: 1 }, env: ['A', 'B', 'NONE'] };
    const planned = planParts({ policy, budget: `./${two}`, models: undefined }, directory, env);
    expect(planned).toEqual({
      policy: {
        name: 'policy',
        module: `./${one}`,
        file: join(directory, one),
        directory,
        options: { x: 1 },
        env: { A: 'a', B: '' },
      },
      budget: {
        name: 'budget',
        module: `./${two}`,
        file: join(directory, two),
        directory,
        options: undefined,
        env: {},
      },
    });
    expect(planParts(undefined, directory, env)).toEqual({});
    expect(() => planParts({ policy: './none.ts' }, directory, env)).toThrow(/parts\.policy/);
  });
});

const METHODS: Record<PartName, readonly string[]> = {
  policy: ['decide'],
  credentials: ['credential'],
  approvals: ['ask'],
  models: ['model'],
  budget: ['reserve'],
  compaction: ['compact'],
  conversation: ['request'],
  telemetry: ['export'],
  sessions: ['list', 'stat', 'read', 'write', 'head', 'where'],
};
const objectOf = (methods: readonly string[]) =>
  `{ ${methods.map((each) => `${each}() {}`).join(', ')} }`;

describe.each([
  ['loaded', loadPart],
  ['loaded at once', (spec: PartSpec) => loadPartNow(spec)],
] as const)('a part that is %s', (_, load) => {
  const loaded = async (spec: PartSpec) => load<Record<string, unknown>>(spec);
  const refused = (spec: PartSpec) => expect(loaded(spec)).rejects;

  it.each(Object.entries(METHODS) as [PartName, string[]][])(
    'as %s has each of %o, and is refused without one',
    async (name, methods) => {
      const made = await loaded(part(name, `export default ${objectOf(methods)}`));
      expect(Object.keys(made)).toEqual(methods);
      for (const each of methods) {
        const others = objectOf(methods.filter((other) => other !== each));
        await refused(part(name, `export default ${others}`)).toThrow(
          /should export (a|hooks|an) .* as its default: "export default \{/,
        );
      }
    },
  );

  it('is what a function makes, which is handed options, directory and variables', async () => {
    const text = 'export default (given) => ({ decide() {}, given })';
    expect(await loaded(part('policy', text))).toMatchObject({
      given: { options: { a: 1 }, directory, env: { KEY: 'k' } },
    });
  });

  it.each(['null', '7', '"text"', '[]', 'undefined', '() => null', '() => 7'])(
    'is no %s',
    async (exported) => {
      await refused(part('policy', `export default ${exported}`)).toThrow(
        '"export default { decide() {…} }"',
      );
    },
  );

  it('that cannot be loaded, or made, is told with its file and the reason', async () => {
    await refused(part('policy', 'throw new RangeError("too much")')).toThrow(
      /part\d+\.mjs could not be loaded: RangeError: too much/,
    );
    await refused(part('policy', 'export default () => { throw "a word" }')).toThrow(
      /part\d+\.mjs could not make its part: a word/,
    );
    await refused(part('policy', 'export default () => { throw new Error("no key") }')).toThrow(
      /could not make its part: Error: no key/,
    );
    await refused(specOf('policy', 'none.mjs')).toThrow('could not be loaded');
  });
});

describe('a part that has to be there at once', () => {
  const refused = (text: string, why: string | RegExp) =>
    expect(() => loadPartNow(part('sessions', text))).toThrow(why);
  const store = objectOf(METHODS.sessions);

  it('may wait for nothing', async () => {
    refused(`await 1; export default ${store}`, /waits \(await\) outside of a function/);
    refused(`export default async () => (${store})`, 'it gives a promise');
    refused('export default async () => { throw new Error("x") }', 'it gives a promise');
    const text = `export default async () => (${store})`;
    expect(await loadPart(part('sessions', text))).toBeTypeOf('object');
  });

  it('may be a CommonJS module, and is closed by its world alone where it can be closed', () => {
    expect(loadPartNow(part('sessions', `module.exports = ${store}`, 'cjs'))).toBeTypeOf('object');
    const closed = objectOf([...METHODS.sessions, 'close']);
    refused(`export default ${closed}`, /can be closed, and it is one for all worlds/);
    expect(loadPartNow(part('sessions', `export default () => (${closed})`))).toBeTypeOf('object');
  });
});

describe('a part is asked in time', () => {
  const forever = () => new Promise<never>(() => undefined);

  it('and its answer, or its failure, is passed on', async () => {
    expect(await inTime(10_000, () => 7)).toBe(7);
    expect(await inTime(10_000, async () => 7)).toBe(7);
    const failing = inTime(10_000, () => {
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
  });

  it('and is told when nobody waits any more, because it is late or was interrupted', async () => {
    let heard: AbortSignal | undefined;
    const ask = (signal: AbortSignal) => {
      heard = signal;
      return forever();
    };
    await expect(inTime(20, ask)).rejects.toMatchObject({
      name: 'Late',
      message: 'it did not answer within 0.02 s',
    });
    expect(heard?.aborted).toBe(true);
    const stop = new AbortController();
    const stopped = inTime(10_000, ask, stop.signal);
    await Promise.resolve();
    expect(heard?.aborted).toBe(false);
    stop.abort();
    await expect(stopped).rejects.toThrow('it was interrupted');
    expect(heard?.aborted).toBe(true);
  });

  it('and not told so where it has answered', async () => {
    let heard: AbortSignal | undefined;
    await inTime(10_000, (signal) => {
      heard = signal;
    });
    expect(heard?.aborted).toBe(false);
  });
});
