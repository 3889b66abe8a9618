/** The options of `search`. */
import { parseArgs } from 'node:util';
import { z } from 'zod';

export interface SearchOptions {
  query: string;
  paths: string[];
  limit: number;
  json: boolean;
  explain: boolean;
  kind?: 'issue' | 'page' | 'file';
  /** ISO 8601. */
  since?: string;
  mount?: string;
}

/** Arguments that cannot be used; the message says what is allowed. */
export class SearchUsageError extends Error {}

export const SEARCH_USAGE =
  'usage: search [-n N] [--json] [--explain] [--since DATE] [--mount M] [--kind issue|page|file] QUERY [PATH…]';

const MOST = 1_000;
const count = z.coerce.number().int().min(1).max(MOST);
const kinds = z.enum(['issue', 'page', 'file']);

/** @throws SearchUsageError */
export function parseSearchOptions(args: readonly string[]): SearchOptions | 'help' {
  const { values, positionals } = parsed(args);
  if (values.help === true) return 'help';
  const [query = '', ...paths] = positionals;
  if (query.trim() === '') throw new SearchUsageError('give a QUERY, in words');
  const limit = count.safeParse(values.number ?? '10');
  if (!limit.success) throw new SearchUsageError(`-n takes a number from 1 to ${MOST}`);
  const kind = kinds.optional().safeParse(values.kind);
  if (!kind.success) throw new SearchUsageError('--kind is one of issue, page and file');
  const since = values.since === undefined ? undefined : dateOf(values.since);
  return {
    query,
    paths,
    limit: limit.data,
    json: values.json ?? false,
    explain: values.explain ?? false,
    ...(kind.data === undefined ? {} : { kind: kind.data }),
    ...(since === undefined ? {} : { since }),
    ...(values.mount === undefined ? {} : { mount: values.mount }),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        number: { type: 'string', short: 'n' },
        json: { type: 'boolean' },
        explain: { type: 'boolean' },
        since: { type: 'string' },
        mount: { type: 'string' },
        kind: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SearchUsageError(faultOf(error.message));
  }
}

/** What an option takes, where it was given nothing or what looks like another option. */
const TAKES: readonly [option: RegExp, rule: string][] = [
  [/'-n\b/, `-n takes a number from 1 to ${MOST}`],
  [/'--number\b/, `--number takes a number from 1 to ${MOST}`],
  [/'--since\b/, '--since takes a date such as 2024-06-03, or 7d'],
  [/'--kind\b/, '--kind is one of issue, page and file'],
  [/'--mount\b/, '--mount takes the name of a mount, such as docs for /mnt/docs'],
];

function faultOf(message: string): string {
  const rule = /missing|ambiguous/.test(message)
    ? TAKES.find(([option]) => option.test(message))?.[1]
    : undefined;
  return rule ?? message.split(/\. |\n/)[0] ?? message;
}

/** `2024-06-03`, any ISO time, or a number of days as `7d`. */
function dateOf(given: string): string {
  const days = /^(\d{1,5})d$/.exec(given)?.[1];
  const time = days === undefined ? Date.parse(given) : Date.now() - Number(days) * 86_400_000;
  if (Number.isNaN(time)) {
    throw new SearchUsageError(`--since takes a date such as 2024-06-03, or 7d (not "${given}")`);
  }
  return new Date(time).toISOString();
}
