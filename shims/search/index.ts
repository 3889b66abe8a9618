/** The command search: by meaning, for people who want options. */
import { defineCommand } from 'just-bash';
import type { SearchAnswer } from '../../src/search/contract.ts';
import type { ShimFactory, ShimHost } from '../../src/shell/command.ts';
import { fileMessage } from '../grep/errors.ts';
import { toBytes } from '../grep/output.ts';
import type { Outcome } from '../grep/run.ts';
import {
  missingLine,
  type Scope,
  scopesOf,
  shownLine,
  shownPath,
  shownPlace,
  statusOf,
  unsearchedLines,
} from '../grep/semantic.ts';
import {
  parseSearchOptions,
  SEARCH_USAGE,
  type SearchOptions,
  SearchUsageError,
} from './options.ts';

export const searchShims: ShimFactory = (host) => [
  defineCommand('search', async (args, ctx) => ({
    ...(await run(args, host, ctx.cwd)),
    stdoutKind: 'bytes',
  })),
];

async function run(args: readonly string[], host: ShimHost, cwd: string): Promise<Outcome> {
  let options: SearchOptions | 'help';
  try {
    options = parseSearchOptions(args);
  } catch (error) {
    if (!(error instanceof SearchUsageError)) throw error;
    return { stdout: '', stderr: `search: ${error.message}\n${SEARCH_USAGE}\n`, exitCode: 2 };
  }
  if (options === 'help') return { stdout: toBytes(`${SEARCH_USAGE}\n`), stderr: '', exitCode: 0 };
  const { scopes, stderr } = await places(options, host, cwd);
  if (scopes.length === 0) return { stdout: '', stderr, exitCode: 2 };
  return ask(options, scopes, host, stderr);
}

/** Where to search, and what is said of the places that cannot be searched. */
async function places(
  { paths, mount, query }: SearchOptions,
  host: ShimHost,
  cwd: string,
): Promise<{ scopes: Scope[]; stderr: string }> {
  const scopes: Scope[] = [];
  const missing: string[] = [];
  let stderr = '';
  const within = mount === undefined ? null : mountPath(mount);
  const operands = within !== null && paths.length === 0 ? [within] : paths;
  for (const scope of scopesOf(host.fs, operands, cwd)) {
    const name = scope.given || scope.path;
    try {
      await host.fs.stat(scope.path);
      if (!host.fs.searchable(scope.path)) stderr += unsearchable(name);
      else if (within === null || isWithin(scope.path, within)) scopes.push(scope);
      else if (isWithin(within, scope.path)) scopes.push({ given: within, path: within });
      else stderr += `search: ${name}: is not in ${within}, where --mount ${mount} searches\n`;
    } catch (error) {
      stderr += fileMessage('search', name, error);
      missing.push(scope.given);
    }
  }
  if (missing.length > 0 && missing.length === paths.length && paths.every(isBareWord)) {
    const whole = [query, ...paths].join(' ');
    stderr += `dirigent: a question of several words is one argument: search "${whole}"\n`;
  }
  if (missing.length > 0 && paths.length === 0 && mount !== undefined) {
    stderr += `dirigent: mounts are ${(await host.fs.readdir('/mnt')).join(', ')}\n`;
  }
  return { scopes, stderr };
}

const isBareWord = (operand: string): boolean => !/[/.]/.test(operand);

const isWithin = (path: string, point: string): boolean =>
  path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`);

/** A mount by its name under /mnt, or by its path. */
const mountPath = (mount: string): string => (mount.startsWith('/') ? mount : `/mnt/${mount}`);

const unsearchable = (path: string): string =>
  `search: ${path}: is not searched by meaning\n` +
  'dirigent: services, /mnt and /memory are, and mounts with `search: true`; grep -rn searches any directory literally\n';

async function ask(
  options: SearchOptions,
  scopes: readonly Scope[],
  host: ShimHost,
  said: string,
): Promise<Outcome> {
  const { query, limit, kind, since } = options;
  try {
    const found = await host.search.ask({
      query,
      limit,
      paths: scopes.map(({ path }) => path),
      ...(kind === undefined ? {} : { kind }),
      ...(since === undefined ? {} : { since }),
    });
    const { answers, note, missing = [], relevance, trouble = [] } = found;
    let stderr = `${said}${note}\n${missingLine(missing)}`;
    if (options.explain && relevance !== undefined) {
      const { reached, needed } = relevance;
      stderr += `search: ${reached.toFixed(2)} speaks for an answer, ${needed.toFixed(2)} is needed\n`;
    }
    for (const error of trouble) stderr += fileMessage('search', error.path, error);
    stderr += unsearchedLines('search', found, scopes);
    const stdout = answers.map((answer) => print(answer, scopes, options, missing)).join('');
    const exitCode = said === '' ? statusOf(found) : 2;
    return { stdout: toBytes(stdout), stderr, exitCode };
  } catch (error) {
    const stderr = `${said}${fileMessage('search', query, error)}`;
    return { stdout: '', stderr, exitCode: 2 };
  }
}

function print(
  answer: SearchAnswer,
  scopes: readonly Scope[],
  options: SearchOptions,
  missing: readonly string[],
): string {
  const { line, page, text, from, crumb, passage, passageLine } = answer;
  const path = shownPath(answer.path, scopes);
  const score = Number(answer.score.toFixed(4));
  if (options.json) {
    const more = options.explain
      ? {
          crumb,
          passage,
          passageLine,
          parts: answer.parts ?? null,
          evidence: answer.evidence ?? null,
        }
      : {};
    const lacking = missing.length === 0 ? {} : { missing };
    const paged = page === undefined ? {} : { page };
    return `${JSON.stringify({ path, ...paged, line, score, text, ...lacking, ...more })}\n`;
  }
  const head = `${shownPlace(answer, scopes)}:${shownLine(text, from)}\n`;
  if (!options.explain) return head;
  const { latent = 0, words = 0, sentence, ...shares } = answer.evidence ?? {};
  const cosines = { latent, words, ...(sentence === undefined ? {} : { sentence }) };
  const shown = [
    ...Object.entries({ score, ...answer.parts, ...shares }),
    ...Object.entries(cosines).map(([name, value]) => [`cosine of ${name}`, value] as const),
  ].map(([name, value]) => `${name} ${value.toFixed(2)}`);
  const lines = passage
    .split('\n')
    .map((each, index) => `  ${passageLine + index}: ${shownLine(each)}\n`);
  return `${head}  ${crumb}\n  ${shown.join(', ')}\n${lines.join('')}\n`;
}
