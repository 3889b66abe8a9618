/**
 * Words that are expanded before just-bash sees them: those beside the command's own assignments
 * (`x=2 echo $x` prints the x of before), those in which a blank at the start of an expansion
 * ends the text before it (`a$x`), or one at its end does (`$x$y`), which just-bash forgets, and
 * those with several lists (`"$* $@"`), of which it keeps one apart.
 */
import type { CommandNode, WordNode } from 'just-bash';
import { DECLARES, isArrayArgument, literalText } from './array-literals.ts';
import { WILD } from './glob/marks.ts';
import type { InterpreterState, WordPart } from './interpreter-types.ts';

type SimpleCommand = Extract<CommandNode, { type: 'SimpleCommand' }>;
type ParameterExpansion = Extract<WordPart, { type: 'ParameterExpansion' }>;

/** Carries out every expansion of the words of a list. */
type Expand = (words: readonly WordNode[]) => Promise<string[]>;

const BLANKS = ' \t\n';
/** Expansions of one value. */
const SINGLE: ReadonlySet<string> = new Set([
  'CaseModification',
  'Length',
  'PatternRemoval',
  'PatternReplacement',
  'Substring',
]);

/** Expansions of each value of a list. */
const EACH: ReadonlySet<string> = new Set(
  [...SINGLE, 'Transform'].filter((type) => type !== 'Length'),
);

/** Must words of the command be expanded here? Asked each time: it depends on the variables. */
export function hasOwnWords(node: CommandNode, state: InterpreterState): boolean {
  if (node.type === 'For') return node.words?.some((word) => isCut(word, state)) ?? false;
  if (node.type !== 'SimpleCommand') return false;
  return (
    seesAssignments(node) ||
    splitArguments(node).some((arg) => isCut(arg, state)) ||
    node.assignments.some(({ array }) => array?.some((word) => isCut(word, state)) ?? false)
  );
}

/** The command with such words as text. */
export async function withOwnWords(
  node: CommandNode,
  state: InterpreterState,
  expand: Expand,
): Promise<CommandNode> {
  const cut = async (words: readonly WordNode[]): Promise<WordNode[]> => {
    const made: WordNode[] = [];
    for (const word of words) {
      made.push(...(isCut(word, state) ? await fieldsOf(word, state, expand) : [word]));
    }
    return made;
  };
  if (node.type === 'For' && node.words !== null) return { ...node, words: await cut(node.words) };
  if (node.type !== 'SimpleCommand') return node;
  const assignments: SimpleCommand['assignments'] = [];
  for (const one of node.assignments) {
    assignments.push(one.array == null ? one : { ...one, array: await cut(one.array) });
  }
  const split = new Set(splitArguments(node));
  const args: WordNode[] = [];
  for (const arg of node.args) args.push(...(split.has(arg) ? await cut([arg]) : [arg]));
  if (!seesAssignments(node)) return { ...node, assignments, args };
  return { ...node, assignments, args: await beforehand({ ...node, args }, expand) };
}

/** The arguments that are split into fields: the value of `local x=$y` is not. */
function splitArguments({ name, args }: SimpleCommand): WordNode[] {
  return DECLARES.has(literalText(name) ?? '') ? args.filter((arg) => !isAssignment(arg)) : args;
}

/** Might an argument be about a variable that the command alone is given? */
function seesAssignments({ name, args, assignments }: SimpleCommand): boolean {
  if (name === null || assignments.length === 0) return false;
  const given = new Set(assignments.map((one) => one.name.replace(/\[.*/s, '')));
  return args.some((arg) => !isArrayArgument(arg) && arg.parts.some((part) => refers(part, given)));
}

function refers(part: WordPart, given: ReadonlySet<string>): boolean {
  switch (part.type) {
    case 'DoubleQuoted':
      return part.parts.some((inner) => refers(inner, given));
    case 'ParameterExpansion':
      return part.operation !== null || given.has('IFS') || given.has(part.parameter);
    case 'CommandSubstitution':
    case 'ArithmeticExpansion':
      return true;
    case 'BraceExpansion':
      return part.items.some(
        (item) => item.type === 'Word' && item.word.parts.some((inner) => refers(inner, given)),
      );
    default:
      return false;
  }
}

/** The arguments, expanded before the assignments are made. */
async function beforehand(node: SimpleCommand, expand: Expand): Promise<WordNode[]> {
  const declares = DECLARES.has(literalText(node.name) ?? '');
  const made: WordNode[] = [];
  for (const arg of node.args) {
    if (isArrayArgument(arg) || !arg.parts.some(isExpansion)) made.push(arg);
    else if (declares && isAssignment(arg))
      made.push(literal((await expand([whole(arg)])).join('')));
    else made.push(...(await expand([arg])).map(literal));
  }
  return made;
}

function isExpansion(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.some(isExpansion);
  return /Expansion$|^CommandSubstitution$/.test(part.type) && part.type !== 'TildeExpansion';
}

/** `x=$y` behind `export`: it is not split. */
function isAssignment({ parts: [part] }: WordNode): boolean {
  return part?.type === 'Literal' && /^\w+\+?=/.test(part.value);
}

function whole({ parts }: WordNode): WordNode {
  return {
    type: 'Word',
    parts: parts.map((part) =>
      isText(part) || part.type === 'DoubleQuoted' ? part : quoted(part),
    ),
  };
}

/**
 * Is there an expansion behind other text that begins, or may begin, with a blank? Or any expansion,
 * where fields end at other characters, too: of two in a row just-bash drops one.
 */
function isCut(word: WordNode, state: InterpreterState): boolean {
  const { parts } = word;
  const ifs = state.env.get('IFS') ?? BLANKS;
  const known = (): boolean => !isArrayArgument(word) && parts.every(isKnown);
  if (hasSeveralLists(parts)) return !isArrayArgument(word) && parts.every(isKnownOrList);
  if (ifs !== BLANKS && /[^ \t\n]/.test(ifs) && parts.some(isSplit)) return known();
  if (parts.length < 2 || isArrayArgument(word)) return false;
  const blanks = [...ifs].filter((char) => BLANKS.includes(char));
  if (blanks.length === 0 || !parts.every(isKnown)) return false;
  return parts.some((part, index) => {
    const before = parts[index - 1];
    if (before === undefined) return false;
    return mayBegin(part, blanks, state) || (isSplit(part) && mayEnd(before, blanks, state));
  });
}

function isSplit({ type }: WordPart): boolean {
  return type === 'ParameterExpansion' || /^(?:CommandSub|Arithmetic)/.test(type);
}

const mayBegin = (part: WordPart, blanks: readonly string[], state: InterpreterState): boolean =>
  mayHave(part, state, (value) => blanks.includes(value.charAt(0)));

/** Of two expansions side by side just-bash forgets the blank at the end of the first, too. */
const mayEnd = (part: WordPart, blanks: readonly string[], state: InterpreterState): boolean =>
  mayHave(part, state, (value) => blanks.includes(value.at(-1) ?? ''));

function mayHave(
  part: WordPart,
  state: InterpreterState,
  looks: (value: string) => boolean,
): boolean {
  if (part.type === 'CommandSubstitution') return true;
  if (part.type !== 'ParameterExpansion') return false;
  if (part.operation !== null || !/^\w+$/.test(part.parameter)) return true;
  const value =
    state.env.get(part.parameter) ?? state.arrays.get(part.parameter)?.elements.get('0');
  return value !== undefined && looks(value);
}

/** A part that comes to one text. */
function isKnown(part: WordPart): boolean {
  if (isText(part) || part.type === 'CommandSubstitution') return true;
  if (part.type === 'ArithmeticExpansion' || part.type === 'TildeExpansion') return true;
  if (part.type === 'DoubleQuoted') return !part.parts.some(isList);
  if (part.type !== 'ParameterExpansion' || isList(part)) return false;
  return part.operation === null || SINGLE.has(part.operation.type) || isPlainDefault(part);
}

/** `${x:-word}` with nothing quoted in it: as it stands, it is split like a value. */
function isPlainDefault({ operation }: ParameterExpansion): boolean {
  if (operation?.type !== 'DefaultValue' && operation?.type !== 'UseAlternative') return false;
  const parts = operation.word?.parts ?? [];
  return parts.every(
    (part) =>
      part.type === 'Literal' ||
      (part.type === 'ParameterExpansion' && part.operation === null && !isList(part)),
  );
}

function isText(part: WordPart): part is Extract<WordPart, { value: string }> {
  return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'Escaped';
}

function isList(part: WordPart): boolean {
  return part.type === 'ParameterExpansion' && /^[@*]$|\[[@*]\]$|^!/.test(part.parameter);
}

/** What becomes several fields, and whether that is a list whose values are joined in quotes. */
function listOf(part: WordPart): { joins: boolean } | null {
  if (part.type !== 'ParameterExpansion') return null;
  const { operation, parameter } = part;
  if (operation?.type === 'ArrayKeys' || operation?.type === 'VarNamePrefix') {
    return { joins: operation.star };
  }
  if (!isList(part) || parameter.startsWith('!')) return null;
  if (operation !== null && !EACH.has(operation.type)) return null;
  return { joins: /\*\]?$/.test(parameter) };
}

/** Is there more than one list, not all of which are joined in their quotes? */
function hasSeveralLists(parts: readonly WordPart[]): boolean {
  let count = 0;
  let apart = false;
  const look = (part: WordPart, quotes: boolean): void => {
    if (part.type === 'DoubleQuoted') {
      for (const inner of part.parts) look(inner, true);
      return;
    }
    const list = part.type === 'ParameterExpansion' ? listOf(part) : null;
    if (list === null) return;
    count++;
    apart ||= !quotes || !list.joins;
  };
  for (const part of parts) look(part, false);
  return count > 1 && apart;
}

function isKnownOrList(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') {
    return part.parts.every((inner) => !isList(inner) || isKnownOrList(inner));
  }
  if (isKnown(part) || listOf(part) !== null) return true;
  return part.type === 'ParameterExpansion' && part.operation?.type === 'Length';
}

interface Piece {
  text: string;
  /** Is it split at blanks? */
  splits: boolean;
  /** Does it make a word even where it is empty? */
  stays: boolean;
  /** Does it begin another field, whatever is before it? */
  begins?: boolean;
}

async function fieldsOf(
  word: WordNode,
  state: InterpreterState,
  expand: Expand,
): Promise<WordNode[]> {
  const ifs = state.env.get('IFS') ?? BLANKS;
  const pieces: Piece[] = [];
  const add = async (part: WordPart, quotes: boolean): Promise<void> => {
    if (isText(part)) {
      pieces.push({ text: part.value, splits: false, stays: quotes || part.type !== 'Literal' });
    } else if (part.type === 'DoubleQuoted' && part.parts.some((inner) => listOf(inner) !== null)) {
      const from = pieces.length;
      for (const inner of part.parts) await add(inner, true);
      // `"$@"` that holds nothing is no word, and takes what is empty beside it along.
      const own = pieces.slice(from);
      const isNone = own.every(({ text, begins }) => text === '' && begins === undefined);
      if (isNone && part.parts.some((inner) => listOf(inner)?.joins === false)) {
        for (const piece of own) piece.stays = false;
      }
    } else if (listOf(part) !== null) {
      const joins = quotes && listOf(part)?.joins === true;
      pieces.push(...listPieces(await listFields(part, quotes, expand), quotes, ifs, state, joins));
    } else {
      const splits = !quotes && part.type !== 'DoubleQuoted' && part.type !== 'TildeExpansion';
      const own = part.type === 'DoubleQuoted' || part.type === 'TildeExpansion';
      const [text = ''] = await expand([{ type: 'Word', parts: [own ? part : quoted(part)] }]);
      pieces.push({ text: splits ? wildcards(text, state) : text, splits, stays: !splits });
    }
  };
  for (const part of word.parts) await add(part, false);
  return split(pieces, ifs).map(literal);
}

/** The values of a list; joined where they stand in quotes and are to be. */
function listFields(part: WordPart, quotes: boolean, expand: Expand): Promise<string[]> {
  const apart = quotes ? part : withValuesApart(part);
  return expand([{ type: 'Word', parts: [{ type: 'DoubleQuoted', parts: [apart] }] }]);
}

/** `$*` outside of quotes is a list like `$@`. */
function withValuesApart(part: WordPart): WordPart {
  if (part.type !== 'ParameterExpansion') return part;
  const { parameter, operation } = part;
  if (operation?.type === 'ArrayKeys' || operation?.type === 'VarNamePrefix') {
    return { ...part, operation: { ...operation, star: false } };
  }
  return { ...part, parameter: parameter.replace(/\*(\]?)$/, '@$1'), operation };
}

function listPieces(
  values: readonly string[],
  quotes: boolean,
  ifs: string,
  state: InterpreterState,
  joins: boolean,
): Piece[] {
  const apart = quotes || ifs === '';
  const texts = apart || values.length === 0 ? values : [values.join(ifs.charAt(0))];
  return texts.map((text, at) => ({
    text: quotes ? text : wildcards(text, state),
    splits: !quotes,
    stays: quotes,
    ...(joins ? {} : { begins: at > 0 }),
  }));
}

/** What comes out of an expansion may be a pattern. */
function wildcards(text: string, state: InterpreterState): string {
  if (state.options['noglob'] === true || text.includes('\\')) return text;
  return text.replace(/[*?[]/g, (char) => WILD[char as keyof typeof WILD]);
}

function split(pieces: readonly Piece[], ifs: string): string[] {
  const fields: string[] = [];
  let field: string | null = null;
  /** Has a blank ended the last field? Then a separator behind it ends no other. */
  let ended = false;
  const end = (blank: boolean): void => {
    if (field !== null) fields.push(field);
    else if (!blank && !ended) fields.push('');
    ended = blank && (field !== null || ended);
    field = null;
  };
  for (const { text, splits, stays, begins } of pieces) {
    if (begins === true && field !== null) end(false);
    if (text === '' && stays) field ??= '';
    for (const char of text) {
      if (splits && ifs.includes(char)) end(BLANKS.includes(char));
      else field = (field ?? '') + char;
    }
  }
  if (field !== null) fields.push(field);
  return fields;
}

function quoted(part: ParameterExpansion | WordPart): WordPart {
  // Not alone: of a default that is, just-bash looks whether its variable is set, see unset-defaults.ts.
  return { type: 'DoubleQuoted', parts: [part, { type: 'Literal', value: '' }] };
}

function literal(value: string): WordNode {
  return { type: 'Word', parts: [{ type: 'SingleQuoted', value }] };
}
