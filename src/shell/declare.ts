/**
 * declare, typeset, local, readonly and export with array literals: the words are
 * expanded, the name is declared without a value, then assigned to, then given the
 * attributes that forbid assigning. See array-literals.ts for why.
 */
import type { CommandNode, WordNode } from 'just-bash';
import { hasHardKeys, isKeyed, keyedWord, plainKeys } from './array-keys.ts';
import { type ArrayArgument, DECLARES, isArrayArgument, literalText } from './array-literals.ts';
import type { CommandResult, InterpreterState, WordPart } from './interpreter-types.ts';
import { joins, joined as withJoins } from './joins.ts';

type SimpleCommand = Extract<CommandNode, { type: 'SimpleCommand' }>;
type Run = (node: CommandNode) => Promise<CommandResult>;

/** For words that are expanded before their name is declared. The script cannot see them. */
const SCRATCH = '__dirigent_scratch';
/** Flags that just-bash's `local` passes over in silence, and its `declare` knows. */
const ONLY_DECLARE = /^[-+][a-zA-Z]*[Arxilu]/;

/** Runs a simple command, its array literals as bash would have them. */
export async function runDeclaring(
  given: CommandNode,
  state: InterpreterState,
  original: Run,
): Promise<CommandResult> {
  if (given.type !== 'SimpleCommand') return original(given);
  const shell = { state, original };
  const together = given.name === null && given.assignments.length > 1;
  const node =
    !together && joins(given)
      ? await withJoins(given, (words) => expandWords(words, state, original))
      : given;
  if (node.name === null) {
    const several = node.assignments.length > 1;
    if (several && (joins(node) || node.assignments.some(({ array }) => array !== null))) {
      return assignInTurn(node, state, original);
    }
    return needsMending(node, state) ? assignPlainly(node, shell) : original(node);
  }
  const known = withKnownFlags(node, state);
  return node.args.some(isArrayArgument) ? declareArrays(known, shell) : original(known);
}

interface Shell {
  state: InterpreterState;
  original: Run;
}

/** `local -A`, `-i`, `-r` … as `declare`, which is the same inside a function. */
function withKnownFlags(node: SimpleCommand, state: InterpreterState): SimpleCommand {
  const inFunction = (state.localScopes?.length ?? 0) > 0;
  if (!inFunction || literalText(node.name) !== 'local') return node;
  if (!node.args.some((arg) => ONLY_DECLARE.test(literalText(arg) ?? ''))) return node;
  return { ...node, name: text('declare') };
}

/** `IFS=, a=($x)`: just-bash sees to the arrays first, bash to each in its turn. */
async function assignInTurn(
  node: SimpleCommand,
  state: InterpreterState,
  original: Run,
): Promise<CommandResult> {
  const results: CommandResult[] = [];
  const { redirections, assignments } = node;
  for (const [index, one] of assignments.entries()) {
    const last = index === assignments.length - 1;
    const step = { ...node, assignments: [one], redirections: last ? redirections : [] };
    results.push(await runDeclaring(step, state, original));
  }
  return joined(results);
}

function needsMending(node: SimpleCommand, state: InterpreterState): boolean {
  return node.assignments.some(
    ({ name, array }) =>
      array !== null &&
      (state.namerefs?.has(name) === true ||
        hasHardKeys(array) ||
        (state.associativeArrays?.has(name) === true && !isKeyed(array))),
  );
}

async function assignPlainly(node: SimpleCommand, shell: Shell): Promise<CommandResult> {
  const assignments = [];
  for (const assignment of node.assignments) {
    const { array } = assignment;
    const name = referred(assignment.name, shell.state);
    if (array === null) assignments.push(assignment);
    else {
      const pairs = shell.state.associativeArrays?.has(name) === true && !isKeyed(array);
      const words = pairs
        ? (await expanded(array, name, true, shell)).words
        : await plainKeys(array, (word) => expandWord(word, shell));
      assignments.push({ ...assignment, name, array: words });
    }
  }
  return shell.original({ ...node, assignments });
}

/** What a name stands for: `local -n ref=a; ref+=(x)` is about `a`. just-bash appends to the reference. */
function referred(name: string, state: InterpreterState): string {
  let target = name;
  const seen = new Set<string>();
  while (state.namerefs?.has(target) === true && !seen.has(target)) {
    seen.add(target);
    const next = state.env.get(target) ?? '';
    if (!/^[A-Za-z_]\w*$/.test(next)) return name;
    target = next;
  }
  return target;
}

async function declareArrays(node: SimpleCommand, shell: Shell): Promise<CommandResult> {
  const { state, original } = shell;
  const command = literalText(node.name) ?? '';
  if (!DECLARES.has(command)) return original(node);
  const flags = node.args.map((arg) => literalText(arg) ?? '').filter((arg) => /^[-+]\w/.test(arg));
  const has = (flag: string) => flags.some((arg) => arg.startsWith('-') && arg.includes(flag));
  const arrays = node.args
    .filter(isArrayArgument)
    .map((argument) => ({ argument, ...named(argument) }));
  const associative = (name: string) => has('A') || state.associativeArrays?.has(name) === true;
  const results: CommandResult[] = [];
  const assignments: SimpleCommand['assignments'] = [];
  // As in bash: `local a=("${a[@]}" x)` sees the caller's.
  for (const { argument, name, append } of arrays) {
    const { words, result } = await expanded(argument.elements, name, associative(name), shell);
    results.push(result);
    assignments.push({ type: 'Assignment', name, value: null, append, array: words });
  }
  const names = new Map<WordNode, WordNode>(
    arrays.map(({ argument, name }) => [argument, text(name)]),
  );
  // What forbids assigning comes last.
  const last = command === 'readonly' || command === 'export' || has('r') ? node : null;
  const scope = state.localScopes?.at(-1);
  const goesOn = arrays.every(
    ({ name, append }) => append && scope?.has(name) === true && state.arrays.has(name),
  );
  const declaring = goesOn ? null : declarationOf(node, command, has('A'), names);
  for (const step of [
    declaring,
    { ...bare(), line: node.line, assignments },
    sealing(last, command, arrays),
  ]) {
    if (step === null) continue;
    const result = await original(step as SimpleCommand);
    // An assignment alone repeats the status before it.
    const fine = step.name === null && result.stderr === '';
    results.push(fine ? { ...result, exitCode: 0 } : result);
    if (result.exitCode !== 0 && !fine) break;
  }
  return joined(results);
}

/** The command without values, in the scope that it means. */
function declarationOf(
  node: SimpleCommand,
  command: string,
  associative: boolean,
  names: ReadonlyMap<WordNode, WordNode>,
): SimpleCommand {
  const args = node.args.map((arg) => names.get(arg) ?? arg);
  const flags = args.map((arg) => {
    const flag = literalText(arg) ?? '';
    return /^-[a-zA-Z]+$/.test(flag) && flag.includes('r')
      ? text(flag.replaceAll('r', '') || '-')
      : arg;
  });
  const kept = flags.filter((arg) => literalText(arg) !== '-');
  const kind = text(associative ? '-A' : '-a');
  if (command !== 'readonly' && command !== 'export') return { ...node, args: [kind, ...kept] };
  // Neither makes anything local.
  return { ...node, name: text('declare'), args: [text('-g'), kind, ...names.values()] };
}

function sealing(
  node: SimpleCommand | null,
  command: string,
  arrays: readonly { name: string }[],
): SimpleCommand | null {
  if (node === null) return null;
  const verb = command === 'export' ? 'export' : 'readonly';
  return {
    ...bare(),
    line: node.line,
    name: text(verb),
    args: arrays.map(({ name }) => text(name)),
  } as SimpleCommand;
}

function bare(): SimpleCommand {
  return { type: 'SimpleCommand', name: null, args: [], assignments: [], redirections: [] };
}

function named({ parts: [part] }: ArrayArgument): { name: string; append: boolean } {
  const match = part?.type === 'Literal' ? /^(\w+)(\+?)=/.exec(part.value) : null;
  return { name: match?.[1] ?? '', append: match?.[2] === '+' };
}

/** The words of a literal after every expansion: `[key]='value'` each, or `'value'`. */
async function expanded(
  elements: readonly WordNode[],
  name: string,
  associative: boolean,
  shell: Shell,
): Promise<{ words: WordNode[]; result: CommandResult }> {
  const { state, original } = shell;
  const pairs = associative && !isKeyed(elements);
  const array = await plainKeys(elements, (word) => expandWord(word, shell));
  if (associative && !pairs) {
    state.associativeArrays ??= new Set();
    state.associativeArrays.add(SCRATCH);
  }
  try {
    const result = await original({
      ...bare(),
      assignments: [{ type: 'Assignment', name: SCRATCH, value: null, append: false, array }],
    });
    const held = [...(state.arrays.get(SCRATCH)?.elements ?? [])];
    const words = pairs
      ? inPairs(held.map(([, value]) => value))
      : held.map(([key, value]) => quoted(key, value));
    const stderr = result.stderr.replaceAll(SCRATCH, name);
    // The literal of a plain list appends where the array ends, so it keeps no keys.
    const plain = !associative && !isKeyed(elements);
    return {
      words: plain ? held.map(([, value]) => ({ type: 'Word', parts: quotedParts(value) })) : words,
      result: { ...result, stderr },
    };
  } finally {
    state.arrays.delete(SCRATCH);
    state.associativeArrays?.delete(SCRATCH);
    state.env.delete(SCRATCH);
  }
}

/** `m=(k1 v1 k2 v2)`. */
function inPairs(values: readonly string[]): WordNode[] {
  const words: WordNode[] = [];
  for (let i = 0; i < values.length; i += 2)
    words.push(quoted(values[i] ?? '', values[i + 1] ?? ''));
  return words;
}

function quoted(key: string, value: string): WordNode {
  return keyedWord(key, { append: false, value: quotedParts(value) });
}

function quotedParts(value: string): WordPart[] {
  return [{ type: 'SingleQuoted', value }];
}

/** Carries out every expansion of the words of a list. */
export async function expandWords(
  words: readonly WordNode[],
  state: InterpreterState,
  original: Run,
): Promise<string[]> {
  const array = [...words];
  try {
    await original({
      ...bare(),
      assignments: [{ type: 'Assignment', name: SCRATCH, value: null, append: false, array }],
    });
    return [...(state.arrays.get(SCRATCH)?.elements.values() ?? [])];
  } finally {
    state.arrays.delete(SCRATCH);
    state.env.delete(SCRATCH);
  }
}

async function expandWord(word: WordNode, { state, original }: Shell): Promise<string> {
  const plain = word.parts.map((part) =>
    part.type === 'SingleQuoted' || part.type === 'Literal' ? part.value : null,
  );
  if (!plain.includes(null)) return plain.join('');
  await original({
    ...bare(),
    assignments: [{ type: 'Assignment', name: SCRATCH, value: word, append: false, array: null }],
  });
  const value = state.env.get(SCRATCH) ?? '';
  state.env.delete(SCRATCH);
  return value;
}

function text(value: string): WordNode {
  return { type: 'Word', parts: [{ type: 'Literal', value }] };
}

function joined(results: readonly CommandResult[]): CommandResult {
  const last = results.at(-1);
  return {
    stdout: results.map(({ stdout }) => stdout).join(''),
    stderr: results.map(({ stderr }) => stderr).join(''),
    exitCode: last?.exitCode ?? 0,
  };
}
