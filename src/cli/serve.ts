/** `dirigent serve`: the deployment, served over HTTP or by JSON lines. */
import { createInterface } from 'node:readline';
import type { Worker } from 'node:worker_threads';
import { changesFile } from '../changes/file.ts';
import type { Doorway } from '../doors/door.ts';
import { ConfigError } from '../errors.ts';
import type { DoorName } from '../policy/gate.ts';
import { Channels } from '../serve/channels/channels.ts';
import { peopleOf } from '../serve/channels/file.ts';
import { requireChannels } from '../serve/channels/load.ts';
import type { HookState } from '../serve/hooks/hooks.ts';
import { openHooks } from '../serve/hooks/opening.ts';
import { Principals } from '../serve/principals.ts';
import { Service, TURNS, worldsOf } from '../serve/service.ts';
import { makeStateDirectory } from '../state.ts';
import { packageVersion } from '../version.ts';
import { joined, visible, visibleMessage } from '../visible.ts';
import { SpareWorkers } from '../world/spare-workers.ts';
import { spawnWorker } from '../world/spawn-worker.ts';
import { channelPlaces } from './channels.ts';
import { doorwayOf } from './doorway.ts';
import { harnessOf } from './harness.ts';
import type { Installation } from './installation.ts';
import { listening } from './listening.ts';
import { openWorld } from './open-world.ts';
import type { Output } from './output.ts';
import { suggested } from './place.ts';
import { clientFilesOf, openOtherDoors } from './serve-doors.ts';
import type { ServeArguments, TokenArguments } from './serve-options.ts';
import { askedToEnd } from './signals.ts';
import { stateOf } from './state.ts';

const OWNER = 'owner';

/** Runs `dirigent serve` until a signal comes, and gives its exit status. */
export async function runServe(
  options: ServeArguments,
  output: Output,
  installation: Installation,
): Promise<number> {
  if (options.token !== null) return actOnTokens(options, options.token, output, installation);
  const { turns = TURNS } = options;
  const ended = askedToEnd();
  await using workers = new SpareWorkers();
  const say = (line: string): void => void output.err(visible`dirigent: ${visibleMessage(line)}\n`);
  const onFault = (error: unknown): void => say(faultText(error));
  const deployed = await harnessOf(options, installation);
  const { checked, host, state, directories } = deployed;
  const hooks = await openHooks(checked, host);
  const files = await requireChannels(await channelPlaces(deployed, options, output, installation));
  const clientFiles = clientFilesOf(options);
  const doorwayTo = (door: DoorName, worker: Worker | undefined) =>
    doorwayOf(door, options, output, installation, worker, {
      ...worldsOf(turns),
      clientFiles,
      workers,
    });
  await using doorway = await doorwayTo('http', spawnWorker());
  const service = new Service({
    doorway,
    openWorld: () => openWorld(options, installation, undefined, output),
    directories,
    hooks,
    say,
    version: packageVersion(),
    people: peopleOf(files),
    turns,
    onFault,
  });
  let channels: Channels | undefined;
  try {
    if (files.length > 0)
      channels = await Channels.open({ service, doorway, state, files, env: host.env, onFault });
    await using _doors = await openOtherDoors({
      options,
      principals: service.principals,
      doorway: (door) => doorwayTo(door, undefined),
      say,
    });
    const how = { service, channels, output, ended, onFault };
    await (options.stdio ? onStdio(how, doorway) : overHttp(how, doorway, options));
    return 0;
  } finally {
    await channels?.close();
    await service.close();
  }
}

/** What is served, and until when. */
interface Serving {
  service: Service;
  channels: Channels | undefined;
  output: Output;
  ended: Promise<unknown>;
  onFault(error: unknown): void;
}

async function overHttp(
  { service, channels, output, ended, onFault }: Serving,
  doorway: Doorway,
  options: ServeArguments,
): Promise<void> {
  const { serveHttp, isLoopback } = await import('../serve/http/server.ts');
  const { host, port, origins } = options;
  const server = await listening(
    () => serveHttp({ service, channels, host, port, origins, onFault }),
    { option: '--port', host, port },
  );
  doorway.announce(server.url);
  await letOwnerIn(service.principals, output);
  await output.err(visible`dirigent: serving ${server.url}\n`);
  if (!isLoopback(host))
    await output.err(
      visible`dirigent: other machines reach it, and what they send can be read on the way: put a proxy with TLS before it\n`,
    );
  if (channels !== undefined && channels.names.length > 0)
    await output.err(visible`dirigent: channels: ${channels.names.join(', ')}\n`);
  await tellHooks(service.hooks.list, server.url, output);
  service.start();
  channels?.start();
  await ended;
  await server.close();
}

/** Where services send what happens, and of which the secrets are missing. */
async function tellHooks(hooks: HookState[], url: string, output: Output): Promise<void> {
  for (const { name } of hooks.filter(({ isReady }) => isReady))
    await output.err(visible`dirigent: webhooks of ${name} are taken at ${url}/hooks/${name}\n`);
  const missing = hooks.flatMap(({ isReady, secretEnv }) => (isReady ? [] : [secretEnv]));
  if (missing.length > 0)
    await output.err(
      visible`dirigent: other webhooks are not taken: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set\n`,
    );
}

async function onStdio(
  { service, channels, output, ended }: Serving,
  doorway: Doorway,
): Promise<void> {
  const { serveStdio } = await import('../serve/stdio.ts');
  const stop = new AbortController();
  void ended.then(() => stop.abort());
  doorway.announce('stdio');
  service.start();
  channels?.start();
  await serveStdio({
    service,
    lines: createInterface({ input: process.stdin }),
    write: (value) => output.json(value),
    signal: stop.signal,
  });
}

/** Nobody could come in at first. */
async function letOwnerIn(principals: Principals, output: Output): Promise<void> {
  if (principals.list().length > 0) return;
  await printToken(output, OWNER, principals.add(OWNER, 'owner'));
}

const printToken = (output: Output, name: string, token: string): Promise<boolean> =>
  output.err(visible`dirigent: the token of ${name}, which is shown this once: ${token}\n`);

/** Runs `dirigent serve token`. A server that runs knows of it at once. */
async function actOnTokens(
  options: ServeArguments,
  asked: TokenArguments,
  output: Output,
  installation: Installation,
): Promise<number> {
  const state = await stateOf(options, installation);
  makeStateDirectory(state);
  const principals = new Principals(changesFile(state));
  try {
    switch (asked.verb) {
      case 'list':
        return await listTokens(principals, options, output);
      case 'add': {
        const { name, role, agent } = asked;
        const token = principals.add(name, role, agent);
        if (options.json) await output.json({ name, role, agent, token });
        else await output.out(visible`${token}\n`);
        return 0;
      }
      case 'remove':
        if (principals.remove(asked.name)) {
          await output.out(visible`${asked.name} may not come in any more\n`);
          return 0;
        }
        throw new ConfigError(
          'serve token',
          `nobody is called ${asked.name}; "${suggested(options.given, 'serve token list')}" names them`,
        );
    }
  } finally {
    principals.close();
  }
}

async function listTokens(
  principals: Principals,
  { json }: ServeArguments,
  output: Output,
): Promise<number> {
  const all = principals.list();
  const rows = all.map(({ actor, role, agent, createdAt }) => {
    const as = agent === null ? '' : ` as ${agent}`;
    return visible`${actor.padEnd(24)}  ${role.padEnd(8)}  ${new Date(createdAt).toISOString()}${as}\n`;
  });
  await (json
    ? output.json(all, 2)
    : output.out(rows.length === 0 ? visible`nobody may come in yet\n` : joined(rows)));
  return 0;
}

function faultText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return process.env['DIRIGENT_DEBUG'] === undefined
    ? error.message
    : (error.stack ?? error.message);
}
