/** `dirigent verify` and `dirigent run --cite`, as processes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { says, startModel } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { cli } from './run-cli.ts';

const TEXT = '# Lease\n\nIt must be renewed every 30 days.\n';

/** A directory with documents, and how the command line mounts it. */
function place() {
  const home = temporaryDirectory();
  const docs = join(home, 'docs');
  mkdirSync(docs);
  writeFileSync(join(docs, 'lease.md'), TEXT);
  const answer = (text: string): string => {
    writeFileSync(join(home, 'answer.md'), text);
    return join(home, 'answer.md');
  };
  const options = { cwd: home, env: { XDG_STATE_HOME: join(home, 'state') } };
  return { home, docs, answer, options, mount: ['--mount', `/mnt/docs=${docs}:ro`] };
}

test('verify exits with 0 where all hold, 1 where one does not, 2 where there is nothing to check', async () => {
  const { answer, options, mount } = place();
  const verify = (text: string, ...more: string[]) =>
    cli(['verify', ...mount, ...more, answer(text)], options);
  const holds = await verify('So [/mnt/docs/lease.md:3 "every 30 days"].\n');
  expect([holds.status, holds.stderr]).toEqual([0, '']);
  expect(holds.stdout.toString()).toContain(
    '1 citation: 1 holds; 0 of 1 sentence have no citation',
  );
  const wrong = await verify('So [/mnt/docs/lease.md:2 "every 30 days"]. And more.\n', '--json');
  expect(wrong.status).toBe(1);
  expect(JSON.parse(wrong.stdout.toString())).toMatchObject({
    holds: 0,
    false: 1,
    unchecked: 0,
    citations: [
      {
        path: '/mnt/docs/lease.md',
        place: '2',
        verdict: 'false',
        elsewhere: ['/mnt/docs/lease.md:3'],
      },
    ],
    sentences: 2,
    uncited: [{ line: 1, text: 'And more.' }],
  });
  const none = await verify('Nothing is cited here.\n');
  expect(none.status).toBe(2);
  expect(none.stdout.toString()).toContain('no citation was found');
});

test('verify reads the world, never the host: what is mounted nowhere is no such file', async () => {
  const { docs, answer, options, mount } = place();
  const file = join(docs, 'lease.md');
  const host = await cli(
    ['verify', ...mount, answer(`So [${file}:3 "every 30 days"].\n`)],
    options,
  );
  expect([host.status, host.stdout.toString()]).toEqual([
    1,
    expect.stringContaining('no such file'),
  ]);
});

test('verify passes the gate: what the policy denies to read could not be checked', async () => {
  const { home, answer, options } = place();
  mkdirSync(join(home, 'harness'));
  writeFileSync(
    join(home, 'harness', 'policy.yaml'),
    'rules: [{name: secret, decision: deny, op: read, path: /mnt/docs/lease.md}]\n',
  );
  writeFileSync(
    join(home, 'dirigent.config.mjs'),
    "export default { mounts: { '/mnt/docs': './docs:ro' } };\n",
  );
  const denied = await cli(['verify', answer('So [/mnt/docs/lease.md:3 "31 days"].\n')], options);
  expect([denied.status, denied.stdout.toString()]).toEqual([
    2,
    expect.stringContaining('Permission denied'),
  ]);
  expect(denied.stdout.toString()).not.toContain('30 days');
});

test('verify says what is wrong with its operands, with exit status 2', async () => {
  const { options } = place();
  const missing = await cli(['verify', 'nothing.md'], options);
  expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('cannot be read')]);
  const two = await cli(['verify', 'a', 'b'], options);
  expect([two.status, two.stderr]).toEqual([2, expect.stringContaining('one ANSWER')]);
});

test('a certified answer is verified again from stdin, and tells when the document has moved on', async () => {
  const { docs, answer, options, mount } = place();
  const args = ['verify', ...mount];
  const certified = await cli(
    [...args, '--certify', answer('So [/mnt/docs/lease.md:3 "every 30 days"].\n')],
    options,
  );
  expect([certified.status, certified.stderr]).toEqual([0, expect.stringContaining('1 holds')]);
  const again = await cli([...args, '-'], { ...options, stdin: certified.stdout });
  expect([again.status, again.stdout.toString()]).toEqual([
    0,
    expect.stringContaining('(unchanged)'),
  ]);
  writeFileSync(join(docs, 'lease.md'), `A line above.\n${TEXT}`);
  const moved = await cli([...args, '-'], { ...options, stdin: certified.stdout });
  expect([moved.status, moved.stdout.toString()]).toEqual([1, expect.stringContaining('(moved)')]);
});

test('run --cite prints the answer that stands, certified; one that does not makes it exit with 1', async () => {
  const { home, options, mount } = place();
  const TRUE = 'It is renewed [/mnt/docs/lease.md:3 "renewed every 30 days"].';
  const FALSE = TRUE.replace('30', '31');
  const run = async (...script: string[]) => {
    const model = await startModel(script.map((text) => says(text)));
    onTestFinished(() => model.close());
    const env = { ...options.env, OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/scripted' };
    return cli(['run', '--cite', ...mount, 'how often?'], { ...options, env });
  };
  const corrected = await run(FALSE, TRUE);
  expect([corrected.status, corrected.stderr]).toEqual([0, '']);
  const text = corrected.stdout.toString();
  expect(text.startsWith(`${TRUE}\n\n\`\`\`citations\nchecked `)).toBe(true);
  writeFileSync(join(home, 'kept.md'), text);
  const verified = await cli(['verify', ...mount, 'kept.md'], options);
  expect([verified.status, verified.stderr]).toEqual([0, '']);
  const insisting = await run(FALSE);
  expect(insisting.status).toBe(1);
  expect(insisting.stdout.toString()).toContain(
    '\nfalse /mnt/docs/lease.md:3 line 3 does not have',
  );
});
