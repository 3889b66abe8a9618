/** Modules of mounts: what they must export, and what is said where they do not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadMountModule, loadWebhook } from './index.ts';

const directory = mkdtempSync(join(tmpdir(), 'dirigent-modules-'));
afterAll(() => rmSync(directory, { recursive: true }));
let count = 0;
function file(text: string): string {
  const path = join(directory, `m${count++}.mjs`);
  writeFileSync(path, text);
  return path;
}
const given = { options: { a: 1 } } as never;
const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: Error) => `${error.name}: ${error.message}`,
  );
const schema = (validate: string) =>
  `export const options = { '~standard': { version: 1, vendor: 'x', validate: ${validate} } };`;

describe('the module of a mount', () => {
  it('makes a mount of what it is handed', async () => {
    const open = await loadMountModule(file('export default (given) => ({ given });'));
    expect(await open(given)).toEqual({ given });
  });

  it('has its options checked by the schema that it exports', async () => {
    const make = 'export default ({ options }) => ({ options });';
    const good = await loadMountModule(
      file(`${make} ${schema('(value) => ({ value: { ...value, b: 2 } })')}`),
    );
    expect(await good(given)).toEqual({ options: { a: 1, b: 2 } });
    const later = await loadMountModule(
      file(`${make} ${schema('async (value) => ({ value: 7 })')}`),
    );
    expect(await later(given)).toEqual({ options: 7 });
    const bad = await loadMountModule(
      file(
        `${make} ${schema("() => ({ issues: [{ message: 'no', path: ['a'] }, { message: 'never' }] })")}`,
      ),
    );
    const message = await failure(Promise.resolve(bad(given)));
    expect(message).toMatch(/made no mount: .*a.*no; .*never/);
    // A schema may be a function.
    const callable = await loadMountModule(
      file(
        `${make} export const options = Object.assign(() => 1, { '~standard': { validate: (value) => ({ value: 3 }) } });`,
      ),
    );
    expect(await callable(given)).toEqual({ options: 3 });
  });

  it.each([
    ['export const x = 1;', 'should export, as its default, a function'],
    ['export default {};', 'should export, as its default, a function'],
    ['export default () => 1; export const options = {};', 'options that are no Standard Schema'],
    ['export default () => 1; export const options = null;', 'options that are no Standard Schema'],
    ["export default () => 1; export const options = 'x';", 'options that are no Standard Schema'],
    ['throw new Error("broken");', 'cannot be loaded: broken'],
    ['import "./none.mjs";', 'cannot be loaded: Cannot find'],
    ['export default (', 'cannot be loaded'],
  ])('%s is told what is wrong with it', async (text, message) => {
    const path = file(text);
    const said = await failure(loadMountModule(path));
    expect(said).toMatch(/^ConfigError: /);
    expect(said).toContain(path);
    expect(said).toContain(message);
  });

  it.each([
    ['throw new Error("why")', 'why'],
    ['throw "odd"', 'odd'],
    ["throw { issues: [{ message: 'no', path: ['a', 'b'] }, { message: 'never' }] }", 'no; never'],
    ['throw Object.assign(new Error("why"), { issues: [] })', 'why'],
    ['throw Object.assign(new Error("why"), { issues: 3 })', 'why'],
    ['throw null', 'null'],
  ])('that fails by `%s` says why', async (text, message) => {
    const open = await loadMountModule(file(`export default async () => { ${text}; };`));
    const said = await failure(Promise.resolve(open(given)));
    expect(said).toMatch(/^ConfigError: .*made no mount: /);
    for (const part of message.split('; ')) expect(said).toContain(part);
  });
});

describe('the webhook of a module', () => {
  const webhook = (more: string) =>
    file(
      `export const webhook = { name: 'my-1', secretEnv: 'S', receive: () => 1, ...{ ${more} } };`,
    );

  it('is what it exports, or none', async () => {
    expect(await loadWebhook(file('export default () => 1;'))).toBeNull();
    expect(await loadWebhook(webhook(''))).toMatchObject({ name: 'my-1', secretEnv: 'S' });
    expect(await loadWebhook(webhook('offered: () => null'))).toHaveProperty('offered');
    expect(await loadWebhook(webhook(`name: '${'a'.repeat(40)}'`))).not.toBeNull();
    expect(await loadWebhook(webhook("name: '7'"))).not.toBeNull();
  });

  it.each([
    "name: 'My'",
    "name: '-a'",
    "name: ''",
    `name: '${'a'.repeat(41)}'`,
    'name: 3',
    'secretEnv: 3',
    'receive: 3',
    'offered: 3',
  ])('is none with %s, and that is said', async (more) => {
    expect(await failure(loadWebhook(webhook(more)))).toContain('exports a webhook that is none');
  });
});
