/** Whatever command line a message suggests can be pasted as it is. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../world/harness.ts';
import { cli } from './run-cli.ts';

/** A deployment whose policy asks about one file, in a directory with a blank and a quote. */
function deployment(): { parent: string; name: string } {
  const parent = temporaryDirectory();
  const name = "it's here";
  mkdirSync(join(parent, name, 'harness'), { recursive: true });
  writeFileSync(join(parent, name, 'dirigent.config.mjs'), 'export default {};\n');
  const rules = [
    '{ name: asked, decision: ask, op: change, path: /workspace/asked, reason: it is asked }',
    '{ name: rest, decision: allow, op: change }',
  ];
  const policy = `sandbox: full\napproval: ask\nrules:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`;
  writeFileSync(join(parent, name, 'harness', 'policy.yaml'), policy);
  return { parent, name };
}

/** Lines that suggest something, by what they are about. */
const MESSAGES: readonly (readonly [string, readonly string[]])[] = [
  ['a change that is not there', ['changes', 'show', 'nothing']],
  ['no change named', ['changes', 'apply']],
  ['an approval that is not there', ['approvals', 'show', 'nothing']],
  ['no approval named', ['approvals', 'allow']],
  ['a session that is not there', ['session', 'show', 'nothing']],
  ['no session named', ['session', 'rm']],
  ['an entry that is not there', ['session', 'fork', '--at', 'nothing']],
  ['a proposal that is not there', ['harness', 'reject', 'nothing']],
  ['a scheduled prompt that is not there', ['schedule', 'show', 'nothing']],
  ['no scheduled prompt named', ['schedule', 'rm']],
  ['a wrong option', ['sh', '--mout']],
  ['an approval that waits', ['sh', '-c', 'touch asked']],
  ['a fork', ['session', 'fork', '--at', 'begin']],
];

test('each of them runs from where it was printed, and is about the same deployment', async () => {
  const { parent, name } = deployment();
  const at = ['--deployment', name];
  // As a person calls it; what the tests' own name for the program would hide.
  const env = { DIRIGENT_COMMAND: '' };
  const run = (args: readonly string[]) => cli([...args, ...at], { cwd: parent, env });
  await run(['sh', '--keep', '-c', 'echo kept > kept']);
  const tree = (await run(['session', 'tree'])).stdout.toString();
  await run(['session', 'label', tree.slice(0, 26), 'begin']);
  const unlike = new Set<string>();
  for (const [what, args] of MESSAGES) {
    const { stderr } = await run(args);
    const quoted = [...stderr.matchAll(/"(node [^"]*)"/g)].map(([, line = '']) => line);
    const plain = [...stderr.matchAll(/^open it with: (.*)$/gm)].map(([, line = '']) => line);
    expect([...quoted, ...plain], `${what}: ${stderr}`).not.toEqual([]);
    for (const line of [...quoted, ...plain]) {
      const pasted = spawnSync('bash', ['-c', line], {
        cwd: parent,
        env: { ...process.env, ...env },
        input: 'cat kept',
        encoding: 'utf8',
      });
      expect([pasted.status, pasted.stderr], `${what}: ${line}`).toEqual([0, '']);
      if (line === plain[0]) expect(pasted.stdout).toBe('kept\n');
      unlike.add(line);
    }
  }
  expect(unlike.size).toBeGreaterThan(6);
  // What was allowed by pasting goes through.
  const allowed = await run(['sh', '-c', 'touch asked && echo done']);
  expect([allowed.stderr, allowed.stdout.toString()]).toEqual(['', 'done\n']);
}, 240_000);
