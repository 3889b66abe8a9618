/** Where some files may not be read, they are told, and everything else is searched. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

const SECRET =
  'rules: [{ name: no-secrets, op: [read], path: [/mnt/docs/secret/**], decision: DECISION }]';

/** A disk mount, a memory mount, and one in the other that is not searched; more denied files than an answer has lines. */
function worldWith(decision: 'deny' | 'ask') {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'harness'));
  mkdirSync(join(deployment, 'docs', 'secret'), { recursive: true });
  const file = (name: string, text: string) => writeFileSync(join(deployment, 'docs', name), text);
  writeFileSync(join(deployment, 'harness/policy.yaml'), SECRET.replace('DECISION', decision));
  file('refunds.md', '# Money back\n\nA customer gets the refund within five days of asking.\n');
  file('shipping.md', '# Parcels\n\nThey leave the warehouse daily.\n');
  for (let index = 0; index < 40; index++)
    file(`secret/${index}.md`, `# Refund ${index}\n\nThe refund of a customer is secret.\n`);
  return testWorld(
    { mounts: { '/mnt/docs': './docs:rw', '/mnt/docs/in': { source: 'mem', search: false } } },
    { deployment },
  );
}

const denials = (stderr: string): number => stderr.match(/: Permission denied/g)?.length ?? 0;

describe.each(['deny', 'ask'] as const)('where reading some files is to %s', (decision) => {
  test('grep and rg tell each of them and search the rest, as often as they are asked', async () => {
    const world = worldWith(decision);
    for (let time = 0; time < 4; time++) {
      for (const command of ['grep -rn refund /mnt/docs', 'rg -n refund /mnt/docs']) {
        const { stdout, stderr, exitCode } = await world.exec(command);
        expect(stdout).toBe(
          '/mnt/docs/refunds.md:3:A customer gets the refund within five days of asking.\n',
        );
        expect(exitCode).toBe(2);
        expect(denials(stderr)).toBe(40);
        expect(stderr).toMatch(/secret\/7\.md: Permission denied/);
        expect(stderr).toContain('policy no-secrets');
      }
    }
    const counted = await world.exec('grep -rc refund /mnt/docs 2> /dev/null');
    expect(counted.stdout).toBe('/mnt/docs/refunds.md:1\n/mnt/docs/shipping.md:0\n');
  });

  test('a search by meaning finds what may be read behind all that may not', async () => {
    const world = worldWith(decision);
    await world.exec('echo "the refund of a customer" > /mnt/docs/in/x.md');
    for (const command of [
      'grep "refund of a customer" /mnt/docs',
      'search "refund of a customer" /mnt/docs',
    ]) {
      const { stdout, stderr, exitCode } = await world.exec(command);
      expect(stdout, stderr).toContain('/mnt/docs/refunds.md:3:');
      expect(stdout).not.toContain('secret');
      expect(stdout).not.toContain('/in/');
      expect(denials(stderr)).toBeGreaterThan(0);
      expect(exitCode).toBe(2);
    }
  });
});
