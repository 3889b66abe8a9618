/** In the worker: the deployment's own commands, from the modules that its config names. */
import { pathToFileURL } from 'node:url';
import type { Command } from 'just-bash';
import { ConfigError, sentenceOf } from '../errors.ts';
import { moduleAdvice } from '../module-advice.ts';
import type { CommandModule, ShimHost } from '../shell/command.ts';
import type { NamedModule } from './protocol.ts';

/** What a name can be that is typed at a shell, and is a file of /bin. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;

/**
 * Makes the commands of every module, in their order.
 * @throws ConfigError naming the place in the config, the module and what is wrong with it
 */
export async function loadShims(
  modules: readonly NamedModule[],
  host: ShimHost,
): Promise<Command[]> {
  const made = new Map<string, Command>();
  for (const [index, { name, file }] of modules.entries()) {
    const fault = (what: string, cause?: unknown): ConfigError =>
      new ConfigError(`shims.${index}`, `the module ${file} ${what}`, cause);
    const factory = await factoryOf(file, fault);
    for (const command of await commandsOf(factory, host, fault)) {
      if (made.has(command.name))
        throw fault(`makes ${command.name}, which another one makes, too: ${name} cannot have it`);
      made.set(command.name, command);
    }
  }
  return [...made.values()];
}

type Fault = (what: string, cause?: unknown) => ConfigError;

async function factoryOf(file: string, fault: Fault): Promise<CommandModule> {
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    throw fault(`cannot be loaded: ${sentenceOf(error)}${moduleAdvice(file, error)}`, error);
  }
  if (typeof module.default === 'function') return module.default as CommandModule;
  throw fault('should export, as its default, a function that makes commands');
}

async function commandsOf(
  factory: CommandModule,
  host: ShimHost,
  fault: Fault,
): Promise<Command[]> {
  let made: unknown;
  try {
    made = await factory(host);
  } catch (error) {
    throw fault(`made no commands: ${sentenceOf(error)}`, error);
  }
  if (!Array.isArray(made) || !made.every(isCommand))
    throw fault('should make a list of commands, each { name, execute(args, context) }');
  const wrong = made.find(({ name }) => !NAME.test(name));
  if (wrong !== undefined) throw fault(`makes "${wrong.name}", which is no name of a command`);
  return made;
}

const isCommand = (value: unknown): value is Command =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'execute' in value &&
  typeof value.execute === 'function';
