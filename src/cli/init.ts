/** `dirigent init`: a deployment in a directory, with what is found on this machine. */
import fs from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Worker } from 'node:worker_threads';
import { shellWord } from '../command-line.ts';
import { visible, visibleMessage, visibleName } from '../visible.ts';
import { checkConfig } from '../world/config.ts';
import { printCheck } from './doctor.ts';
import { checkModel, checkServices } from './doctor-world.ts';
import { type ChosenService, configName, deploymentFiles, ignoreText } from './init-files.ts';
import { OfferedServices, type WantedService } from './init-services.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import { type InitArguments, UsageError } from './options.ts';
import { type Output, promptStream } from './output.ts';
import { configIn, suggested } from './place.ts';
import { setUpWorld } from './setup.ts';

/** Runs `dirigent init`, and gives its exit status: 1 where there is a deployment already. */
export async function runInit(
  options: InitArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const directory = resolve(options.directory ?? '.');
  const existing = configIn(directory);
  if (existing !== null) return sayWhatIsThere(directory, existing, options, output);
  const offered = new OfferedServices(installation.schemes);
  const services = await chosenServices(offered, options, directory, output);
  fs.mkdirSync(directory, { recursive: true });
  await writeFiles(offered, directory, services, options, output);
  const given = { mounts: [], deployment: options.directory };
  const made = { ...options, given, deployment: directory };
  await test(made, services, output, installation, worker);
  await sayWhatNext(services, given, output);
  return 0;
}

async function sayWhatIsThere(
  directory: string,
  config: string,
  { directory: named }: InitArguments,
  output: Output,
): Promise<number> {
  const harness = join(directory, 'harness');
  const parts = fs.existsSync(harness)
    ? fs.readdirSync(harness).filter((name) => !name.startsWith('.'))
    : [];
  const has = parts.length === 0 ? 'no harness of its own' : `a harness of ${parts.join(', ')}`;
  const doctor = suggested({ mounts: [], deployment: named }, 'doctor');
  await output.err(
    visible`dirigent: there is a deployment here, and nothing was changed: ${visibleName(config)}, with ${has}\n"${doctor}" looks at it; remove the config to begin anew\n`,
  );
  return 1;
}

/** What is to be mounted: as the options say, as the person at the terminal says, or what is found. */
async function chosenServices(
  offered: OfferedServices,
  { services, yes }: InitArguments,
  directory: string,
  output: Output,
): Promise<ChosenService[]> {
  const env = process.env;
  const withToken = async (wanted: WantedService): Promise<ChosenService> => ({
    ...wanted,
    token: await offered.findToken(wanted.name, env),
  });
  if (services.length > 0) return Promise.all(services.map(withToken));
  const all = await Promise.all(offered.names.map((name) => withToken({ name })));
  const narrowed = await offered.narrowedByRemote(nearestDirectory(directory), env);
  const usual = all.map((service) => {
    const only = narrowed.get(service.name);
    return only === undefined ? service : { ...service, only };
  });
  if (yes) return usual.filter(({ token }) => token !== null);
  if (!process.stdin.isTTY || !output.errIsTerminal) {
    throw new UsageError(
      'init',
      'there is no terminal to ask at: give --service for each service, or --yes to mount those whose tokens are found',
    );
  }
  return ask(offered, usual);
}

/** Asks about each service; an empty answer takes what is offered. */
async function ask(
  offered: OfferedServices,
  usual: readonly ChosenService[],
): Promise<ChosenService[]> {
  const terminal = createInterface({ input: process.stdin, output: promptStream() });
  // Ctrl-D and Ctrl-C leave it, and nothing was made.
  const left = new AbortController();
  terminal.once('close', () => left.abort());
  const chosen: ChosenService[] = [];
  try {
    for (const service of usual) {
      const answered = await askOne(offered, service, (text) =>
        terminal.question(text, { signal: left.signal }),
      );
      if (answered !== null) chosen.push(answered);
    }
  } catch (error) {
    if (!left.signal.aborted) throw error;
    throw new UsageError('init', 'it was left before the end, and nothing was made');
  } finally {
    terminal.close();
  }
  return chosen;
}

async function askOne(
  services: OfferedServices,
  service: ChosenService,
  question: (text: string) => Promise<string>,
): Promise<ChosenService | null> {
  const { title, setup } = services.schemeOf(service.name);
  const { tokens, narrowedBy, tokenCommand = [] } = setup;
  const { token, only } = service;
  const found =
    token === null
      ? `no token in ${tokens.join(' or ')}`
      : `token in ${token.setBy === undefined ? token.variable : tokenCommand.join(' ')}`;
  const narrow = narrowedBy === null ? '' : `, ${narrowedBy.called}`;
  const offered = token === null ? 'no' : (only ?? 'yes');
  for (;;) {
    const answer = (
      await question(`Mount ${title}? (${found}) yes, no${narrow} [${offered}] `)
    ).trim();
    const said = answer === '' ? offered : answer;
    if (/^n(?:o)?$/i.test(said)) return null;
    const { only: _, ...all } = service;
    if (/^y(?:es)?$/i.test(said)) return all;
    const narrowed = services.parse(`${service.name}=${said}`);
    if (narrowed !== null) return { ...narrowed, token };
  }
}

async function writeFiles(
  offered: OfferedServices,
  directory: string,
  services: readonly ChosenService[],
  { typescript }: InitArguments,
  output: Output,
): Promise<void> {
  const say = (what: string, path: string): Promise<boolean> =>
    output.out(visible`${what.padEnd(7)} ${visibleName(shown(join(directory, path)))}\n`);
  const config = configName(typescript);
  const files = deploymentFiles(offered, services, typescript, process.env);
  // The config comes last: a directory without one is no deployment, and can be begun again.
  for (const [path, text] of [...files].sort(
    ([a], [b]) => Number(a === config) - Number(b === config),
  )) {
    const file = join(directory, path);
    fs.mkdirSync(dirname(file), { recursive: true });
    await say(writeNew(file, text) ? 'made' : 'kept', path);
  }
  const ignore = join(directory, '.gitignore');
  const before = fs.existsSync(ignore) ? fs.readFileSync(ignore, 'utf8') : null;
  const text = ignoreText(before);
  if (text !== null) fs.writeFileSync(ignore, text);
  await say(text === null ? 'kept' : before === null ? 'made' : 'added to', '.gitignore');
}

/** False where there is such a file: what is somebody's is not replaced. */
function writeNew(file: string, text: string): boolean {
  try {
    fs.writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Asks each service once, by its own mount, and says what the model is. */
async function test(
  options: InitArguments,
  services: readonly ChosenService[],
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<void> {
  const found = services.flatMap(({ token }) =>
    token?.setBy === undefined ? [] : [[token.variable, token.value] as const],
  );
  // What `gh` told is tried out here, and is for the person to put into the environment.
  Object.assign(process.env, Object.fromEntries(found));
  const { config, deployment } = await setUpWorld(options, installation, process.cwd());
  const checked = checkConfig(await installation.sources(), config);
  const host = { cwd: process.cwd(), env: process.env, deployment };
  const context = { options, host, timeoutMs: TEST_MS };
  const world = await openWorld(options, installation, worker, output);
  await output.out(visible`\n`);
  for await (const check of checkServices(world, checked, context))
    if (services.some(({ name }) => check.what === `/mnt/${name}`)) await printCheck(check, output);
  for await (const check of checkModel(checked.agent ?? {}, context))
    await printCheck(check, output);
}

/** A service is waited for no longer, ms. */
const TEST_MS = 15_000;

async function sayWhatNext(
  services: readonly ChosenService[],
  given: { mounts: string[]; deployment: string | undefined },
  output: Output,
): Promise<void> {
  const set = services.flatMap(({ token }) =>
    token?.setBy === undefined ? [] : [`export ${token.setBy}`],
  );
  const lines = [
    ...set,
    suggested(given, `sh -c ${shellWord(services.length === 0 ? 'ls /' : 'ls /mnt')}`),
    ...(services.length === 0
      ? []
      : [suggested(given, `run ${shellWord('What is being worked on?')}`)]),
    suggested(given, 'chat'),
    suggested(given, 'doctor'),
  ];
  await output.out(visible`\nTry next:\n  ${visibleMessage(lines.join('\n'))}\n`);
}

/** As it can be typed here. */
function shown(path: string): string {
  const here = relative(process.cwd(), path);
  return here.startsWith('..') ? path : here;
}

function nearestDirectory(path: string): string {
  let directory = path;
  while (!fs.existsSync(directory)) directory = dirname(directory);
  return directory;
}
