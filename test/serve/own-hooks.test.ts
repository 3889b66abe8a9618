/** The hooks of a deployment: those of the services that its config mounts, and of its own modules. */
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sourceTable } from '../../mounts/index.ts';
import { isDeliveryRefusal } from '../../src/mount/contract/webhook.ts';
import { openHooks } from '../../src/serve/hooks/opening.ts';
import { checkConfig } from '../../src/world/config.ts';
import { temporaryDirectory } from '../world/harness.ts';

const hooksOf = (deployment: string, mounts: Record<string, string>, env = {}) =>
  openHooks(checkConfig(sourceTable, { mounts }), { deployment, cwd: deployment, env });

test('each service that is mounted has one hook, for all of its mounts, with the secret of the host', async () => {
  const mounts = {
    '/mnt/a': 'github:octo/a',
    '/mnt/b': 'github:octo/b',
    '/mnt/notion': 'notion',
    '/mnt/slack': 'slack',
    '/mnt/files': 'mem',
  };
  const env = { GITHUB_WEBHOOK_SECRET: 's', NOTION_WEBHOOK_SECRET: '' };
  const hooks = await hooksOf(temporaryDirectory(), mounts, env);
  expect(hooks.map(({ webhook, secret, points }) => [webhook.name, secret, points])).toEqual([
    ['github', 's', ['/mnt/a', '/mnt/b']],
    ['notion', null, ['/mnt/notion']],
  ]);
});

test('a mount of the deployment’s own brings its hook, and one that is none is refused by its mount', async () => {
  const deployment = temporaryDirectory();
  const library = join(import.meta.dirname, '../../src/mount/index.ts');
  writeFileSync(
    join(deployment, 'tracker.ts'),
    `import { readBody, requireSignature } from ${JSON.stringify(library)};
import { z } from ${JSON.stringify(join(import.meta.dirname, '../../node_modules/zod/index.js'))};
export default () => { throw new Error('it is not mounted here'); };
export const webhook = {
  name: 'tracker',
  secretEnv: 'TRACKER_SECRET',
  receive(delivery, check) {
    requireSignature(delivery, check, delivery.header('x-signature'));
    const { key } = readBody(delivery, z.object({ key: z.string() }));
    return { id: key, type: 'ticket.changed', at: null, by: null, actor: null, paths: ['/' + key + '.md'], text: key };
  },
};
`,
  );
  const [hook] = await hooksOf(
    deployment,
    { '/mnt/t': 'module:./tracker.ts' },
    { TRACKER_SECRET: 's' },
  );
  const body = Buffer.from('{"key":"T-1"}');
  const check = { secret: hook?.secret ?? '', now: new Date() };
  const signature = createHmac('sha256', 's').update(body).digest('hex');
  expect(hook?.webhook.receive({ body, header: () => signature }, check)).toMatchObject({
    type: 'ticket.changed',
    paths: ['/T-1.md'],
  });
  let refusal: unknown;
  try {
    hook?.webhook.receive({ body, header: () => null }, check);
  } catch (error) {
    refusal = error;
  }
  expect(isDeliveryRefusal(refusal)).toBe(true);
  writeFileSync(
    join(deployment, 'broken.ts'),
    `export default () => null;\nexport const webhook = { name: 'Broken/x' };\n`,
  );
  await expect(hooksOf(deployment, { '/mnt/x': 'module:./broken.ts' })).rejects.toThrow(
    /mounts\.\/mnt\/x: .*exports a webhook that is none/,
  );
});
