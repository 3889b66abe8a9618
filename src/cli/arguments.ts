/** What every command of the command line shares in its arguments. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** What a world is made from, as `sh` and `changes` take it. */
export interface WorldArguments {
  /** `PATH=SOURCE[:MODE]`, in order. */
  mounts: string[];
  deployment: string | undefined;
  dryRun: boolean;
  json: boolean;
}

/** The pages of `--help`. */
export const TOPICS = [
  'sh',
  'run',
  'chat',
  'mcp',
  'schedule',
  'memory',
  'changes',
  'sync',
  'index',
  'approvals',
  'harness',
  'session',
] as const;
export type HelpTopic = 'dirigent' | (typeof TOPICS)[number];

/** Arguments that cannot be used; the message says what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly topic: HelpTopic;

  constructor(topic: HelpTopic, message: string) {
    super(message);
    this.topic = topic;
  }
}

export const COMMON = {
  mount: { type: 'string', multiple: true },
  deployment: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

/** `parseArgs`, strict, its errors in our words. */
export function parse<const T extends ParseArgsOptionsConfig>(
  topic: HelpTopic,
  argv: readonly string[],
  options: T,
) {
  try {
    const config = { args: [...argv], options, allowPositionals: true, strict: true } as const;
    const parsed = parseArgs<typeof config>(config);
    refuseRepeated(topic, argv, options);
    return parsed;
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) {
      throw new UsageError(topic, `${sentence(error)}; allowed: ${allowed(options)}`);
    }
    throw error;
  }
}

/** The first sentence of what parseArgs says; the rest is advice on quoting. */
const sentence = (error: Error): string =>
  (error.message.split(/\. |\n/)[0] ?? error.message).replace(/\.$/, '');

const allowed = (options: ParseArgsOptionsConfig): string =>
  Object.entries(options)
    .map(([name, { short }]) => (short === undefined ? `--${name}` : `-${short}, --${name}`))
    .join(', ');

/** The last of two would win in silence. */
function refuseRepeated(
  topic: HelpTopic,
  argv: readonly string[],
  options: ParseArgsOptionsConfig,
): void {
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    tokens: true,
  });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option' || options[token.name]?.type !== 'string') continue;
    if (options[token.name]?.multiple === true) continue;
    if (seen.has(token.name)) throw new UsageError(topic, `${token.rawName} is given twice`);
    seen.add(token.name);
  }
}
