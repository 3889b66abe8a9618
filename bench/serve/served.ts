/** A deployment that is served to the bench, without a port: its clients call what the API calls. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWorld } from '../../entry/index.ts';
import { openDoorway } from '../../src/doors/doorway.ts';
import type { Caller } from '../../src/serve/rights.ts';
import { Service, type ServiceOptions, worldsOf } from '../../src/serve/service.ts';
import { SpareWorkers } from '../../src/world/spare-workers.ts';
import type { ModelStandIn } from '../../test/stand-ins/model/index.ts';

export interface Served {
  service: Service;
  deployment: string;
  close(): Promise<void>;
}

const POLICY = 'sandbox: full\napproval: never\n';

export type Model = Pick<ModelStandIn, 'url' | 'endIdle'>;

/** A model that answers at once, in a process of its own. */
export async function modelProcess(): Promise<Model & { close(): void }> {
  const child = fork(fileURLToPath(new URL('./model-process.ts', import.meta.url)));
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    endIdle: () => void child.send('end idle'),
    close: () => void child.disconnect(),
  };
}

/** @param more such as how many turns at once, and whose clock it goes by */
export function served(
  url: string,
  more: Partial<ServiceOptions> = {},
  /** Worlds are kept for so long between turns, in ms, and so many; as a server does it, if absent. */
  kept?: { ms: number; most: number },
): Served {
  const deployment = mkdtempSync(join(tmpdir(), 'dirigent-bench-serve-'));
  mkdirSync(join(deployment, 'harness'));
  writeFileSync(join(deployment, 'harness', 'policy.yaml'), POLICY);
  const state = join(deployment, '.dirigent');
  const config = { agent: { model: 'openai/scripted' } };
  const { turns = 8 } = more;
  const workers = new SpareWorkers();
  const doorway = openDoorway({
    door: 'http',
    state,
    open: async (session, actor) =>
      createWorld(config, {
        deployment,
        worker: await workers.take(),
        ...(session === undefined ? {} : { session }),
        ...(actor === undefined ? {} : { actor }),
      }),
    host: { base: deployment, env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'none' } },
    ...worldsOf(turns),
    ...(kept === undefined ? {} : { kept }),
  });
  const service = new Service({
    doorway,
    openWorld: async () => createWorld(config, { deployment }),
    directories: {
      own: join(deployment, 'harness'),
      defaults: join(import.meta.dirname, '../../agents'),
      proposals: join(state, 'proposals'),
    },
    version: '0',
    onFault: (error) => {
      throw error;
    },
    ...more,
  });
  service.start();
  return {
    service,
    deployment,
    close: async () => {
      await service.close();
      await doorway.close();
      await workers.close();
      rmSync(deployment, { recursive: true, force: true });
    },
  };
}

export const person = (actor: string): Caller => ({ actor, role: 'user', agent: null });

/** A session of somebody's, who is let in. */
export function sessionOf({ service }: Served, actor: string): string {
  if (service.principals.get(actor) === null) service.principals.add(actor, 'user');
  return service.conversations.create(person(actor), null).id;
}
