/** Which services `dirigent init` can mount, and where their tokens are found. */
import type { OfferedScheme, Scheme } from '../sources/scheme.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A service that is to be mounted. */
export interface WantedService {
  /** Of its scheme. */
  name: string;
  /** What narrows it; all that the token can see, if absent. */
  only?: string;
}

/** Where a token was found. */
export interface FoundToken {
  /** The variable that the config names. */
  variable: string;
  value: string;
  /** It is in no variable yet: the words that put it there. */
  setBy?: string;
}

/** A part of a service that can be mounted, for the examples of help. */
export interface ServiceExample {
  name: string;
  part: string;
  /** The usual variable of its token. */
  token: string;
}

/** A program may ask a keyring, which may ask a person. ms */
const PROGRAM_TIMEOUT_MS = 5_000;

/** The services that `dirigent init` offers, among all that can be mounted. */
export class OfferedServices {
  readonly #schemes: readonly OfferedScheme[];

  constructor(schemes: readonly Scheme[]) {
    this.#schemes = schemes.filter((scheme): scheme is OfferedScheme => scheme.setup !== undefined);
  }

  get names(): readonly string[] {
    return this.#schemes.map(({ name }) => name);
  }

  /** Each way to name a service: `NAME`, and `NAME=PART` where a part can be mounted. */
  get forms(): readonly string[] {
    return this.#schemes.flatMap(({ forms }) => forms.map((form) => form.replace(':', '=')));
  }

  /** The variables that name other servers than the public ones. */
  get addresses(): readonly string[] {
    return this.#schemes.map(({ setup }) => setup.address);
  }

  get example(): ServiceExample {
    for (const { name, setup } of this.#schemes) {
      const { narrowedBy, tokens } = setup;
      if (narrowedBy !== null) return { name, part: narrowedBy.example, token: tokens[0] };
    }
    throw new Error('no service is offered that has parts');
  }

  /** What is known of a service that is offered. */
  schemeOf(name: string): OfferedScheme {
    const found = this.#schemes.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no service is called ${name}`);
    return found;
  }

  /** `NAME` or `NAME=PART` of a service that is offered; null for what is none of these. */
  parse(text: string): WantedService | null {
    const cut = text.indexOf('=');
    const word = cut < 0 ? text : text.slice(0, cut);
    const scheme = this.#schemes.find(({ name }) => name === word);
    if (scheme === undefined) return null;
    const { name, setup } = scheme;
    if (cut < 0) return { name };
    const only = text.slice(cut + 1);
    return setup.narrowedBy?.matches.test(only) === true ? { name, only } : null;
  }

  /** The address that the environment names; null for the public one. */
  addressOf(name: string, env: Environment): string | null {
    const { address: variable, publicAddress } = this.schemeOf(name).setup;
    const address = env[variable];
    return address === undefined || address === '' || address === publicAddress ? null : address;
  }

  /** Finds a service's token in the environment, or has the service's own program print it. */
  async findToken(name: string, env: Environment): Promise<FoundToken | null> {
    const { tokens, tokenCommand } = this.schemeOf(name).setup;
    for (const variable of tokens) {
      const value = env[variable];
      if (value !== undefined && value !== '') return { variable, value };
    }
    // Its token is for the public address, and is sent nowhere else.
    if (tokenCommand === undefined || this.addressOf(name, env) !== null) return null;
    const value = await printed(tokenCommand, env);
    const [variable] = tokens;
    return value === null
      ? null
      : { variable, value, setBy: `${variable}="$(${tokenCommand.join(' ')})"` };
  }

  /** What narrows each service to the git remote of a directory, by name; of those that it is no remote of, nothing. */
  async narrowedByRemote(
    directory: string,
    env: Environment,
  ): Promise<ReadonlyMap<string, string>> {
    const url = await printed(['git', '-C', directory, 'remote', 'get-url', 'origin'], env);
    const found = this.#schemes.flatMap(({ name, setup }) => {
      const only = setup.remote?.exec(url ?? '')?.[1];
      const fits = only !== undefined && setup.narrowedBy?.matches.test(only) === true;
      return fits ? [[name, only] as const] : [];
    });
    return new Map(found);
  }
}

/** What a tool prints; null where it is not there, fails, or takes too long. */
async function printed(words: readonly string[], env: Environment): Promise<string | null> {
  const [tool = '', ...args] = words;
  // Most command lines start no other program, and this module is read by all of them.
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const run = promisify(execFile);
  const told = await run(tool, args, { env, timeout: PROGRAM_TIMEOUT_MS }).catch(
    // It is a convenience: whatever keeps it from answering, there is another way.
    () => null,
  );
  const text = told?.stdout.trim() ?? '';
  return text === '' ? null : text;
}
