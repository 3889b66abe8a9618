/** What the table of commands is made of: from it come parsing, `--help`, completion and `did you mean`. */
import type { Scheme } from '../sources/scheme.ts';

/** What a page says; where it names what can be mounted, made from the schemes. */
export type SpecText = string | ((schemes: readonly Scheme[]) => string);

/** An option, as `parseArgs` takes it, and what help and completion say of it. */
export interface OptionSpec<Text = SpecText> {
  type: 'string' | 'boolean';
  short?: string;
  multiple?: boolean;
  /** What help calls its value: `DIR`. */
  value?: string;
  help: Text;
  /** All that its value may be. */
  values?: readonly string[];
  /** What the user's shell completes its value with. */
  completes?: 'directory' | 'file' | undefined;
}

/** What a command can do, where it can do several things. */
export interface VerbSpec {
  /** `ID…` */
  operands?: string;
  help: string;
}

/** One command of the command line. */
export interface CommandSpec<Text = SpecText> {
  /** What the overview says of it. */
  summary: string;
  /** What follows `dirigent NAME` in its usage, a line each. */
  usage: readonly string[];
  about: string;
  verbs?: Readonly<Record<string, VerbSpec>>;
  options: Readonly<Record<string, OptionSpec<Text>>>;
  /** Below the options; examples are lines that begin with two blanks. */
  more?: Text;
  /** What the user's shell completes its operands with. */
  operands?: 'directory' | 'file' | undefined;
}

export const HELP = {
  type: 'boolean',
  short: 'h',
  help: 'this page',
} as const satisfies OptionSpec;
/** Of what shows what it is about to do. */
export const YES = {
  type: 'boolean',
  short: 'y',
  help: 'do it without asking at the terminal',
} as const satisfies OptionSpec;
const JSON_OUTPUT = { type: 'boolean', help: 'print JSON' } as const satisfies OptionSpec;

const DEPLOYMENT = {
  deployment: {
    type: 'string',
    value: 'DIR',
    completes: 'directory',
    help: 'a directory with dirigent.config.ts (or .js, .mjs, .mts), which says what is mounted; its state is kept in DIR/.dirigent. By default DIRIGENT_DEPLOYMENT, then the current directory or the nearest above it that has one',
  },
  'no-deployment': {
    type: 'boolean',
    help: 'a plain world, though there is a deployment here',
  },
} as const satisfies CommandSpec['options'];

/** Of commands that read a deployment's files and open no world. */
export const PLACE = {
  ...DEPLOYMENT,
  json: JSON_OUTPUT,
  help: HELP,
} as const satisfies CommandSpec['options'];

/** Of commands that open a world and print no JSON. */
export const WORLD = {
  mount: {
    type: 'string',
    multiple: true,
    value: 'PATH=SOURCE[:MODE]',
    help: (schemes) =>
      `mount SOURCE at PATH; may be repeated\nSOURCE: ${schemes.flatMap(({ forms }) => forms).join(', ')}\nMODE: ro, rw, append, stage (for services: writes become pending changes); a service is ro, others rw by default`,
  },
  ...DEPLOYMENT,
  help: HELP,
} as const satisfies CommandSpec['options'];

/** Of commands that open a world. */
export const COMMON = { ...WORLD, json: JSON_OUTPUT } as const satisfies CommandSpec['options'];

export const DRY_RUN = {
  type: 'boolean',
  help: 'every service mount only stages what is written; "dirigent changes" shows, applies or drops it',
} as const satisfies OptionSpec;

export const SESSION = {
  type: 'string',
  value: 'ID',
  help: 'go on with an earlier session, or with a fork: its id, or enough of its beginning or end',
} as const satisfies OptionSpec;

/** Of commands that put an agent to work. */
export const AGENT = {
  agent: {
    type: 'string',
    value: 'NAME',
    help: 'an agent of the harness; "assistant" by default',
  },
  model: {
    type: 'string',
    value: 'ID',
    help: "PROVIDER/NAME, such as openai/gpt-5.1, or builtin/extract, which needs no key: it searches and quotes, and concludes nothing. By default what the agent's file or the config says, then DIRIGENT_MODEL, then the first provider whose key is in the environment",
  },
  session: SESSION,
  continue: {
    type: 'boolean',
    short: 'c',
    help: 'go on with the last conversation of this place',
  },
  plan: {
    type: 'boolean',
    help: 'a plan comes first: nothing is changed before you approve it, and then only what it names',
  },
  server: {
    type: 'string',
    value: 'URL',
    help: 'on a deployment that "dirigent serve" serves there, with the token in DIRIGENT_TOKEN',
  },
} as const satisfies CommandSpec['options'];
