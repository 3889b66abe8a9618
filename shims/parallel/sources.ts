/** Where parallel's arguments come from: standard input, files, and the words behind `:::`. */
import { type Options, UsageError } from '../support/getopt.ts';
import { parseSize, splitLines, type Tool, toText } from '../support/tool.ts';

/** What one job is given. */
export interface Row {
  /** By source, or by column. */
  args: readonly string[];
  /** Names of columns, by `--header`. */
  names?: readonly string[];
  /** A piece of standard input, for `--pipe`. A byte string. */
  stdin?: string;
}

/** Whether a source goes in step with the one before, and the shorter ends both or begins anew. */
type Link = 'ends' | 'renews' | undefined;

/** Arguments that were written, or files of them. */
export interface Source {
  kind: 'words' | 'files';
  words: string[];
  linked: Link;
}

/** Arguments of one source. */
interface Arguments {
  list: string[];
  linked: Link;
}

/** Parts the command line at `:::` and its kin. */
export function sourcesOf(args: readonly string[]): { command: string[]; sources: Source[] } {
  const command: string[] = [];
  const sources: Source[] = [];
  for (const arg of args) {
    const mark = /^(:{3,4})(\+?)$/.exec(arg);
    if (mark !== null) {
      sources.push({
        kind: mark[1] === ':::' ? 'words' : 'files',
        words: [],
        linked: mark[2] === '+' ? 'ends' : undefined,
      });
    } else (sources.at(-1)?.words ?? command).push(arg);
  }
  return { command, sources };
}

const ESCAPES: Readonly<Record<string, string>> = { '\\0': '\0', '\\n': '\n', '\\t': '\t' };

function separatorOf(options: Options): string {
  if (options.has('0')) return '\0';
  const text = options.get('d') ?? '\n';
  return ESCAPES[text] ?? text;
}

/** The lists of arguments, by source. */
async function lists(
  tool: Tool,
  options: Options,
  sources: readonly Source[],
): Promise<Arguments[] | undefined> {
  const separator = separatorOf(options);
  const out: Arguments[] = [];
  const together: Link = options.has('link') ? 'renews' : undefined;
  const read = async (file: string, linked: Link): Promise<boolean> => {
    const content = await tool.tryRead(file, 255, `Cannot open input file \`${file}'`);
    if (content === undefined) return false;
    out.push({ list: splitLines(content, separator).map(toText), linked });
    return true;
  };
  for (const file of options.all('a')) if (!(await read(file, together))) return undefined;
  for (const { kind, words, linked } of sources) {
    const joins = linked ?? together;
    if (kind === 'words') out.push({ list: words, linked: joins });
    else for (const file of words) if (!(await read(file, joins))) return undefined;
  }
  if (out.length === 0) await read('-', undefined);
  return out;
}

/** Every combination, the last source changing fastest; linked sources go in step. */
function combined(all: readonly Arguments[]): string[][] {
  const groups: Arguments[][] = [];
  for (const one of all) {
    const last = groups.at(-1);
    if (one.linked === undefined || last === undefined) groups.push([one]);
    else last.push(one);
  }
  const columns = groups.map((group) => {
    const lengths = group.map(({ list }) => list.length);
    const ends = group.some(({ linked }) => linked === 'ends') || lengths.includes(0);
    const length = ends ? Math.min(...lengths) : Math.max(...lengths);
    return Array.from({ length }, (_, i) => group.map(({ list }) => list[i % list.length] ?? ''));
  });
  return columns.reduce<string[][]>(
    (rows, column) => rows.flatMap((row) => column.map((more) => [...row, ...more])),
    [[]],
  );
}

/** Arguments by several to a job: their places, one row. */
function batched(rows: readonly string[][], size: number): string[][] {
  const flat = rows.flat();
  const out: string[][] = [];
  for (let i = 0; i < flat.length; i += size) out.push(flat.slice(i, i + size));
  return out;
}

function trimmed(text: string, how: string): string {
  if (how === 'l') return text.trimStart();
  if (how === 'r') return text.trimEnd();
  return how === 'n' ? text : text.trim();
}

/** Pieces of standard input: so many records, or whole lines up to a size. */
function pieces(tool: Tool, options: Options): Row[] {
  const size = parseSize(options.get('block') ?? '1M') ?? 1024 * 1024;
  const records = Number(options.get('N') ?? options.get('n') ?? 0);
  const rows: Row[] = [];
  let piece: string[] = [];
  let bytes = 0;
  const flush = (): void => {
    if (piece.length > 0) rows.push({ args: [], stdin: piece.join('') });
    piece = [];
    bytes = 0;
  };
  for (const line of tool.stdin.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (records > 0 ? piece.length === records : bytes + line.length > size && bytes > 0) flush();
    piece.push(line);
    bytes += line.length;
  }
  flush();
  return rows;
}

/** What is to be done, job by job; undefined after a message. */
export async function jobsOf(
  tool: Tool,
  options: Options,
  sources: readonly Source[],
): Promise<Row[] | undefined> {
  if (options.has('pipe')) return pieces(tool, options);
  const all = await lists(tool, options, sources);
  if (all === undefined) return undefined;
  const column = options.get('C');
  let names: string[] | undefined;
  if (options.has('header')) {
    const heads = all.map(({ list }) => list.shift() ?? '');
    names = column === undefined ? heads : heads.flatMap((head) => head.split(separator(column)));
  }
  let rows = combined(all);
  if (column !== undefined)
    rows = rows.map((row) => row.flatMap((arg) => arg.split(separator(column))));
  const trim = options.get('trim') ?? (column === undefined ? 'n' : 'lr');
  rows = rows.map((row) => row.map((arg) => trimmed(arg, trim)));
  if (options.has('r')) rows = rows.filter((row) => row.some((arg) => arg !== ''));
  const several = options.get('N') ?? options.get('n');
  if (several !== undefined) {
    if (!/^[1-9]\d*$/.test(several))
      throw new UsageError(`'${several}' is no number of arguments`, { hint: false });
    rows = batched(rows, Number(several));
  } else if (options.has('X') || options.has('m')) rows = rows.length === 0 ? [] : [rows.flat()];
  return rows.map((args) => (names === undefined ? { args } : { args, names }));
}

/** `--colsep` is a regular expression; what people write is one character, or blanks. */
function separator(text: string): string | RegExp {
  const plain = ESCAPES[text] ?? text;
  if (plain === '\\s+' || plain === ' +') return plain === ' +' ? / +/ : /\s+/;
  if (/^(?:\\.|\[.\]|[^\\[\](){}*+?.^$])+$/.test(plain))
    return plain.replace(/\\(.)|\[(.)\]/g, '$1$2');
  throw new UsageError(`--colsep '${text}' is not understood here: use one character, or \\s+`, {
    hint: false,
  });
}
