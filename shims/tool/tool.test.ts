import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from '../../entry/index.ts';

const GREET = `#!/bin/bash
# ---
# description: Greets somebody
# input:
#   type: object
#   required: [who]
#   additionalProperties: false
#   properties:
#     who: { type: string }
#     times: { type: integer, minimum: 1, default: 1 }
#     loud: { type: boolean }
# ---
for ((i = 0; i < times; i++)); do echo "hello $who\${loud:+!}"; done
cat
`;

let directory: string;
let world: World;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-tool-'));
  mkdirSync(join(directory, 'harness', 'tools'), { recursive: true });
  writeFileSync(join(directory, 'harness', 'tools', 'greet.sh'), GREET);
  writeFileSync(join(directory, 'harness', 'tools', 'broken.sh'), 'echo no header\n');
  world = createWorld({ state: join(directory, 'state') }, { deployment: directory });
});

afterAll(async () => {
  await world.close();
  rmSync(directory, { recursive: true });
});

test('without a name it lists the tools, and tells which of them are broken', async () => {
  const { stdout, stderr, exitCode } = await world.exec('tool');
  expect(stdout).toMatch(/^greet\tGreets somebody\nrecent\t.*\ntally\t.*\n$/);
  expect(stderr).toContain('broken.sh');
  expect(exitCode).toBe(1);
});

test.each([
  [`tool greet '{"who":"ada"}'`, 'hello ada\n{"who":"ada","times":1}\n'],
  ['tool greet --who ada --times 2 | head -2', 'hello ada\nhello ada\n'],
  ['tool greet --who="a b" --loud | head -1', 'hello a b!\n'],
  ['tool greet --who 42 | head -1', 'hello 42\n'],
])('%s runs it with its input as variables and on stdin', async (command, stdout) => {
  expect(await world.exec(command)).toMatchObject({ stdout, exitCode: 0 });
});

test.each([
  ['tool none', 'there is no /harness/tools/none.sh'],
  ['tool ../AGENTS', 'there is no'],
  ['tool broken', 'broken'],
  ['tool greet', 'who: '],
  ['tool greet --who ada --times x', 'times: '],
  ['tool greet --who ada --colour red', 'colour'],
  ['tool greet {', 'no JSON'],
  [`tool greet '{}' more`, 'one JSON object is taken'],
  ['tool greet ada', '--KEY VALUE'],
  ['tool greet --who', '--who takes a value'],
])('%s is refused with status 2 before anything runs', async (command, message) => {
  const { stdout, stderr, exitCode } = await world.exec(command);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain(message);
});
