/**
 * How mounts are named: the schemes of `source`, as data. It loads nothing, so that the command line
 * can check and explain what it is given before anything else is there. What becomes of a scheme is
 * in index.ts.
 */

/** What `dirigent init` has to know of a service. */
export interface ServiceSetup {
  /** What narrows the mount, how a sentence calls that, and one such; null where nothing does. */
  narrowedBy: { matches: RegExp; called: string; example: string } | null;
  /** Variables that hold a token, the usual one first. */
  tokens: readonly [string, ...string[]];
  /** The words of a program that prints a token for the public address, where one is signed in. */
  tokenCommand?: readonly [string, ...string[]];
  /** The variable with the address of another server than the public one. */
  address: string;
  /** The public one, where other programs set that variable to it. */
  publicAddress?: string;
  /** Of the address of a directory's git remote: what narrows a mount to it, as the first group. */
  remote?: RegExp;
}

/** One scheme. */
export interface Scheme {
  /** What stands before the colon, and what messages and rules call such a mount: `github`. */
  readonly name: string;
  /** How it is written, shortest first. */
  readonly forms: readonly string[];
  /** What people call it: `GitHub`. */
  readonly title: string;
  /** Its files are records of a service outside: it is read-only by default, can stage, and takes a token. */
  readonly isService: boolean;
  /** Of services that `dirigent init` offers. */
  readonly setup?: ServiceSetup;
}

const OWNER_REPO = /^[A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9._-]+$/;
const TEAM_KEY = /^[A-Z][A-Z0-9]{0,15}$/;

export const SCHEMES = {
  disk: { name: 'disk', forms: ['./DIR', '/DIR'], title: 'files', isService: false },
  mem: { name: 'mem', forms: ['mem'], title: 'files', isService: false },
  github: {
    name: 'github',
    forms: ['github', 'github:OWNER/REPO'],
    title: 'GitHub',
    isService: true,
    setup: {
      narrowedBy: { matches: OWNER_REPO, called: 'OWNER/REPO', example: 'octocat/hello-world' },
      tokens: ['GITHUB_TOKEN', 'GH_TOKEN'],
      tokenCommand: ['gh', 'auth', 'token'],
      // As GitHub's own workflows set it.
      address: 'GITHUB_API_URL',
      publicAddress: 'https://api.github.com',
      remote: /github\.com[:/]([^/]+\/[^/]+?)(?:\.git)?\/?$/,
    },
  },
  linear: {
    name: 'linear',
    forms: ['linear', 'linear:KEY'],
    title: 'Linear',
    isService: true,
    setup: {
      narrowedBy: { matches: TEAM_KEY, called: 'KEY of a team', example: 'ENG' },
      tokens: ['LINEAR_API_KEY'],
      address: 'LINEAR_API_URL',
    },
  },
  notion: {
    name: 'notion',
    forms: ['notion'],
    title: 'Notion',
    isService: true,
    setup: {
      narrowedBy: null,
      tokens: ['NOTION_TOKEN', 'NOTION_API_KEY'],
      address: 'NOTION_API_URL',
    },
  },
  slack: {
    name: 'slack',
    forms: ['slack'],
    title: 'Slack',
    isService: true,
    setup: {
      narrowedBy: null,
      tokens: ['SLACK_TOKEN', 'SLACK_BOT_TOKEN'],
      address: 'SLACK_API_URL',
    },
  },
  sql: { name: 'sql', forms: ['sql', 'sql:./FILE'], title: 'SQL', isService: true },
  openapi: {
    name: 'openapi',
    forms: ['openapi:./FILE'],
    title: 'a REST service',
    isService: true,
  },
  mcp: { name: 'mcp', forms: ['mcp:NAME'], title: 'MCP', isService: true },
  module: {
    name: 'module',
    forms: ['module:./FILE', 'module:PACKAGE'],
    title: 'a service',
    isService: true,
  },
} as const satisfies Readonly<Record<string, Scheme>>;

/** All of them, in the order in which a message names them. */
export const schemes: readonly Scheme[] = Object.values(SCHEMES);

/** Each way to write a source. */
export const sourceForms: readonly string[] = schemes.flatMap(({ forms }) => forms);

/** A scheme that `dirigent init` can set up. */
export type OfferedScheme = Scheme & Required<Pick<Scheme, 'setup'>>;

/** Those that `dirigent init` offers. */
export const offeredSchemes: readonly OfferedScheme[] = schemes.filter(
  (scheme): scheme is OfferedScheme => scheme.setup !== undefined,
);
