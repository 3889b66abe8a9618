/** Which services `dirigent init` can mount, and where their tokens are found. */
import { TOKEN_VARIABLES } from '../world/plan.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type ServiceName = keyof typeof TOKEN_VARIABLES;

/** A service that is to be mounted. */
export interface WantedService {
  name: ServiceName;
  /** `OWNER/REPO` of GitHub, a team's `KEY` of Linear; all that the token can see, if absent. */
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

interface ServiceFacts {
  title: string;
  /** What narrows it. */
  only: RegExp | null;
  example: string;
  /** Variables that hold a token, the usual one first. */
  tokens: readonly string[];
  /** The variable with the address of another server than the public one. */
  address: string;
}

export const SERVICES: Readonly<Record<ServiceName, ServiceFacts>> = {
  github: {
    title: 'GitHub',
    only: /^[A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9._-]+$/,
    example: 'OWNER/REPO',
    tokens: [TOKEN_VARIABLES.github, 'GH_TOKEN'],
    // As GitHub's own workflows set it.
    address: 'GITHUB_API_URL',
  },
  linear: {
    title: 'Linear',
    only: /^[A-Z][A-Z0-9]{0,15}$/,
    example: 'KEY of a team',
    tokens: [TOKEN_VARIABLES.linear],
    address: 'LINEAR_API_URL',
  },
  notion: {
    title: 'Notion',
    only: null,
    example: '',
    tokens: [TOKEN_VARIABLES.notion, 'NOTION_API_KEY'],
    address: 'NOTION_API_URL',
  },
};

export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[];

/** `github`, `github=OWNER/REPO`, `linear=KEY`, `notion`; null for what is none of these. */
export function parseService(text: string): WantedService | null {
  const cut = text.indexOf('=');
  const word = cut < 0 ? text : text.slice(0, cut);
  const name = SERVICE_NAMES.find((each): each is ServiceName => each === word);
  if (name === undefined) return null;
  if (cut < 0) return { name };
  const only = text.slice(cut + 1);
  return SERVICES[name].only?.test(only) === true ? { name, only } : null;
}

/** The address that the environment names; null for the public one. */
export function addressOf(name: ServiceName, env: Environment): string | null {
  const address = env[SERVICES[name].address];
  const isPublic = address === undefined || address === '' || address === 'https://api.github.com';
  return isPublic ? null : address;
}

/** The words that print GitHub's token where its own tool is signed in. */
const GH = ['gh', 'auth', 'token'] as const;
/** It may ask a keyring, which may ask a person. ms */
const GH_TIMEOUT_MS = 5_000;

/** Finds a service's token in the environment; of GitHub's also in `gh auth token`. */
export async function findToken(name: ServiceName, env: Environment): Promise<FoundToken | null> {
  const { tokens } = SERVICES[name];
  for (const variable of tokens) {
    const value = env[variable];
    if (value !== undefined && value !== '') return { variable, value };
  }
  // Its token is for github.com, and is sent nowhere else.
  if (name !== 'github' || addressOf(name, env) !== null) return null;
  const value = await printed(GH, env);
  const [variable = ''] = tokens;
  return value === null ? null : { variable, value, setBy: `${variable}="$(${GH.join(' ')})"` };
}

/** `OWNER/REPO` of the repository on github.com that a directory is in; null where it is in none. */
export async function repositoryOf(directory: string, env: Environment): Promise<string | null> {
  const url = await printed(['git', '-C', directory, 'remote', 'get-url', 'origin'], env);
  const found = /github\.com[:/]([^/]+\/[^/]+?)(?:\.git)?\/?$/.exec(url ?? '')?.[1];
  return found !== undefined && SERVICES.github.only?.test(found) === true ? found : null;
}

/** What a tool prints; null where it is not there, fails, or takes too long. */
async function printed(words: readonly string[], env: Environment): Promise<string | null> {
  const [tool = '', ...args] = words;
  // Most command lines start no other program, and this module is read by all of them.
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const run = promisify(execFile);
  const told = await run(tool, args, { env, timeout: GH_TIMEOUT_MS }).catch(
    // It is a convenience: whatever keeps it from answering, there is another way.
    () => null,
  );
  const text = told?.stdout.trim() ?? '';
  return text === '' ? null : text;
}
