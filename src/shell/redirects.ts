/** What the redirections of a command do to its three streams, and what their targets are called. */
import type { CommandNode } from 'just-bash';
import type { InterpreterState, RedirectionNode, WordPart } from './interpreter-types.ts';

/** Which streams of a command go elsewhere. */
export interface Redirected {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
}

const NONE: Redirected = { stdin: false, stdout: false, stderr: false };

/** The redirections of any command; those of a function definition belong to its calls. */
export function redirectionsOf(node: CommandNode): readonly RedirectionNode[] {
  return node.type === 'FunctionDef' ? [] : node.redirections;
}

export function redirected(list: readonly RedirectionNode[]): Redirected {
  if (list.length === 0) return NONE;
  const result = { ...NONE };
  for (const one of list) {
    if (one.fdVariable !== undefined) continue;
    const { operator } = one;
    if (operator === '&>' || operator === '&>>') {
      result.stdout = true;
      result.stderr = true;
      continue;
    }
    const input = operator.startsWith('<');
    const fd = one.fd ?? (input ? 0 : 1);
    if (fd === 0) result.stdin = true;
    else if (fd === 1) result.stdout = true;
    else if (fd === 2) result.stderr = true;
    // `>& file` takes both; `>& 2` only the first.
    if (operator === '>&' && one.fd === null && !isNumber(one)) result.stderr = true;
  }
  return result;
}

/**
 * Do stdout and stderr go to one and the same place once the redirections are made?
 *
 * @param before did they before?
 */
export function sameTarget(list: readonly RedirectionNode[], before: boolean): boolean {
  // A place by its descriptor at the start, or by the redirection that opened it.
  const places = new Map<number, RedirectionNode | number>([
    [1, 1],
    [2, before ? 1 : 2],
  ]);
  for (const one of list) {
    const { operator, fdVariable } = one;
    if (fdVariable !== undefined || operator.startsWith('<')) continue;
    const from = operator === '>&' ? descriptorOf(one) : null;
    const fd = one.fd ?? 1;
    const both = operator.startsWith('&>') || (operator === '>&' && one.fd === null);
    if (from !== null) places.set(fd, places.get(from) ?? from);
    else for (const each of both ? [1, 2] : [fd]) places.set(each, one);
  }
  return places.get(1) === places.get(2);
}

/**
 * The target of a redirection as the script wrote it, variables expanded, for
 * the absolute path that the file system named. That path itself if none fits.
 */
export function targetAsWritten(
  list: readonly RedirectionNode[],
  path: string,
  state: InterpreterState,
  resolve: (base: string, path: string) => string,
): string {
  for (const { target } of list) {
    if (target.type === 'HereDoc') continue;
    const written = target.parts.map((part) => partText(part, state)).join('');
    if (written !== '' && resolve(state.cwd, written) === path) return written;
  }
  return path;
}

function isNumber(one: RedirectionNode): boolean {
  return /^(?:\d+-?|-)$/.test(literalOf(one));
}

/** The descriptor that another one becomes a copy of; null for a file, and for what only a run tells. */
function descriptorOf(one: RedirectionNode): number | null {
  const [, digits] = /^(\d+)-?$/.exec(literalOf(one)) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** What a target begins with, where that is plain text. */
function literalOf({ target }: RedirectionNode): string {
  const [part] = target.type === 'HereDoc' ? [] : target.parts;
  return part?.type === 'Literal' ? part.value : '';
}

/** The text of a simple part. An expansion that would run code counts as empty: its target is not found. */
function partText(part: WordPart, state: InterpreterState): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'Escaped':
      return part.value;
    case 'DoubleQuoted':
      return part.parts.map((inner) => partText(inner, state)).join('');
    case 'TildeExpansion':
      return part.user === null ? (state.env.get('HOME') ?? '~') : `~${part.user}`;
    case 'ParameterExpansion':
      return part.operation === null ? (state.env.get(part.parameter) ?? '') : '';
    default:
      return '';
  }
}

/** `exec > file`: what it opens stays open until the line ends. */
export function keepsOpen(node: CommandNode): boolean {
  if (node.type !== 'SimpleCommand') return false;
  const [word, ...rest] = node.name?.parts ?? [];
  return rest.length === 0 && word?.type === 'Literal' && word.value === 'exec';
}
