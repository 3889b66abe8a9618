/** What tests of the command line share. */
import { onTestFinished, vi } from 'vitest';
import type { Scheme } from '../sources/scheme.ts';
import { parseInvocation, UsageError } from './options.ts';
import { Output, type Streams } from './output.ts';

/** An output that is kept: each piece with its stream, and all of a stream as one text. */
export function keptOutput(more: Partial<Streams> = {}) {
  const pieces: string[] = [];
  const note = (stream: 'out' | 'err') => async (data: string | Uint8Array) => {
    pieces.push(`${stream}:${typeof data === 'string' ? data : Buffer.from(data).toString()}`);
    return true;
  };
  const textOf = (stream: 'out' | 'err') => (): string =>
    pieces.map((each) => (each.startsWith(stream) ? each.slice(stream.length + 1) : '')).join('');
  const output = new Output({
    out: note('out'),
    err: note('err'),
    errIsTerminal: true,
    outIsTerminal: false,
    ...more,
  });
  return { output, pieces, out: textOf('out'), err: textOf('err') };
}

/** Two services that `init` offers, of which one has parts, and what is none. */
export const SCHEMES: readonly Scheme[] = [
  {
    name: 'tracker',
    forms: ['tracker', 'tracker:TEAM'],
    title: 'Tracker',
    isService: true,
    setup: {
      narrowedBy: { matches: /^[A-Z]+$/, called: 'a team', example: 'ENG' },
      tokens: ['TRACKER_TOKEN', 'TRACKER_KEY'],
      tokenCommand: ['printf', ' printed\n'],
      address: 'TRACKER_URL',
      publicAddress: 'https://tracker.example',
      remote: /^git@tracker\.example:([^/]+)\//,
    },
  },
  {
    name: 'pages',
    forms: ['pages'],
    title: 'Pages',
    isService: true,
    setup: { narrowedBy: null, tokens: ['PAGES_TOKEN'], address: 'PAGES_URL' },
  },
  { name: 'mem', forms: ['mem'], title: 'Memory', isService: false },
];

/** The words of a line; what stands in quotes is one. */
const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);

/** What is made of a line. */
export const parsed = (line: string) => parseInvocation(words(line), SCHEMES);

/** What is said of a line that is refused, and of which command's page. */
export function refusal(line: string): { topic: string; message: string } {
  isCalledDirigent();
  try {
    parsed(line);
  } catch (error) {
    if (error instanceof UsageError) return { topic: error.topic, message: error.message };
    throw error;
  }
  throw new Error(`${line} is not refused`);
}

/** Until the test ends, messages that suggest a command name the program so. */
export function isCalledDirigent(): void {
  vi.stubEnv('DIRIGENT_COMMAND', 'dirigent');
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** What every command that opens a world is told where nothing is said. */
export const WORLD = {
  mounts: [],
  deployment: undefined,
  given: { mounts: [], deployment: undefined },
  dryRun: false,
  json: false,
};
