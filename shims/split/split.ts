/** split. */
import { type Options, UsageError } from '../support/getopt.ts';
import { parseSize, type Tool, toBuffer } from '../support/tool.ts';

const unhinted = (message: string): UsageError => new UsageError(message, { hint: false });

/** What a piece is. `record` counts records in turn; `k` is the one chunk that is wanted. */
type Way =
  | { kind: 'lines' | 'bytes' | 'line-bytes'; size: number }
  | { kind: 'chunks' | 'line-chunks' | 'record'; count: number; k: number | undefined };

function sizeOption(text: string, what: string): number {
  const value = parseSize(text);
  if (value === undefined || value === 0) throw unhinted(`invalid number of ${what}: '${text}'`);
  return value;
}

function chunksOf(text: string): Way {
  const match = /^(?:([lr])\/)?(?:(\d+)\/)?(\d+)$/.exec(text);
  const count = Number(match?.[3] ?? 0);
  if (match === null || count === 0) throw unhinted(`invalid number of chunks: '${text}'`);
  const k = match[2] === undefined ? undefined : Number(match[2]);
  if (k !== undefined && (k === 0 || k > count))
    throw unhinted(`invalid chunk number: '${match[2]}'`);
  const kind = match[1] === 'l' ? 'line-chunks' : match[1] === 'r' ? 'record' : 'chunks';
  return { kind, count, k };
}

function wayOf(options: Options): Way {
  const found: Way[] = [];
  for (const [key, value] of options.seen) {
    if (key === 'l' || key === 'digits')
      found.push({ kind: 'lines', size: sizeOption(value, 'lines') });
    if (key === 'b') found.push({ kind: 'bytes', size: sizeOption(value, 'bytes') });
    if (key === 'C') found.push({ kind: 'line-bytes', size: sizeOption(value, 'lines') });
    if (key === 'n') found.push(chunksOf(value));
  }
  if (new Set(found.map(({ kind }) => kind)).size > 1)
    throw new UsageError('cannot split in more than one way');
  return found.at(-1) ?? { kind: 'lines', size: 1000 };
}

/** Whole records: each with its separator. */
function recordsOf(bytes: string, separator: string): string[] {
  const parts = bytes.split(separator);
  const last = parts.pop() ?? '';
  const records = parts.map((part) => part + separator);
  if (last !== '') records.push(last);
  return records;
}

function inLines(bytes: string, size: number, separator: string): string[] {
  const records = recordsOf(bytes, separator);
  const out: string[] = [];
  for (let i = 0; i < records.length; i += size) out.push(records.slice(i, i + size).join(''));
  return out;
}

function inBytes(bytes: string, size: number): string[] {
  const out: string[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(bytes.slice(at, at + size));
  return out;
}

/** As many whole lines as fit; a line that alone is longer is broken. */
function inLineBytes(bytes: string, size: number, separator: string): string[] {
  const out: string[] = [];
  let piece = '';
  for (const record of recordsOf(bytes, separator)) {
    if (piece !== '' && piece.length + record.length > size) {
      out.push(piece);
      piece = '';
    }
    piece += record;
    while (piece.length > size) {
      out.push(piece.slice(0, size));
      piece = piece.slice(size);
    }
  }
  if (piece !== '') out.push(piece);
  return out;
}

function inChunks(bytes: string, count: number): string[] {
  const size = Math.floor(bytes.length / count);
  // The last chunk has what is left over.
  return Array.from({ length: count }, (_, i) =>
    bytes.slice(i * size, i === count - 1 ? undefined : (i + 1) * size),
  );
}

/** A line belongs to the chunk in which it begins. */
function inLineChunks(bytes: string, count: number, separator: string): string[] {
  const out = Array.from({ length: count }, () => '');
  const ends: number[] = [];
  let end = 0;
  for (const chunk of inChunks(bytes, count)) {
    end += chunk.length;
    ends.push(end);
  }
  let at = 0;
  let chunk = 0;
  for (const record of recordsOf(bytes, separator)) {
    while (chunk < count - 1 && at >= (ends[chunk] ?? 0)) chunk++;
    out[chunk] += record;
    at += record.length;
  }
  return out;
}

function inTurn(bytes: string, count: number, separator: string): string[] {
  const out = Array.from({ length: count }, () => [] as string[]);
  for (const [i, record] of recordsOf(bytes, separator).entries()) out[i % count]?.push(record);
  return out.map((records) => records.join(''));
}

function piecesOf(bytes: string, way: Way, separator: string): string[] {
  switch (way.kind) {
    case 'lines':
      return inLines(bytes, way.size, separator);
    case 'bytes':
      return inBytes(bytes, way.size);
    case 'line-bytes':
      return inLineBytes(bytes, way.size, separator);
    case 'chunks':
      return inChunks(bytes, way.count);
    case 'line-chunks':
      return inLineChunks(bytes, way.count, separator);
    case 'record':
      return inTurn(bytes, way.count, separator);
  }
}

/** The suffixes, one after the other; undefined when there are no more. */
class Suffixes {
  readonly #digits: string;
  readonly #length: number;
  readonly #widens: boolean;
  #next: number;

  constructor(options: Options, count: number | undefined) {
    const style = options.seen.findLast(([key]) => key === 'd' || key === 'x');
    this.#digits =
      style === undefined
        ? 'abcdefghijklmnopqrstuvwxyz'
        : style[0] === 'd'
          ? '0123456789'
          : '0123456789abcdef';
    const from = style?.[1] ?? '';
    this.#next = from === '' ? 0 : parseInt(from, style?.[0] === 'x' ? 16 : 10);
    if (Number.isNaN(this.#next))
      throw unhinted(
        `'${from}': invalid start value for ${style?.[0] === 'x' ? 'hexadecimal' : 'numerical'} suffix`,
      );
    const length = options.get('a');
    if (length !== undefined && !/^\d+$/.test(length))
      throw unhinted(`invalid suffix length: '${length}'`);
    // How many there are is known beforehand: they are long enough from the first one on.
    const isCounted = count !== undefined;
    this.#widens = (length === undefined || Number(length) === 0) && from === '' && !isCounted;
    const least =
      count === undefined ? 2 : Math.max(2, this.#width(count + (from === '' ? 0 : this.#next)));
    if (
      length !== undefined &&
      Number(length) > 0 &&
      count !== undefined &&
      this.#width(count) > Number(length)
    )
      throw unhinted(`the suffix length needs to be at least ${this.#width(count)}`);
    this.#length = length === undefined || Number(length) === 0 ? least : Number(length);
  }

  #width(count: number): number {
    return Math.max(1, Math.ceil(Math.log(count) / Math.log(this.#digits.length) - 1e-9));
  }

  next(): string | undefined {
    const base = this.#digits.length;
    let value = this.#next++;
    let length = this.#length;
    let lead = '';
    // Before they run out, suffixes get longer: ..., xyz, then xzaaa, so that names stay in order.
    while (this.#widens && value >= base ** length - base ** (length - 1)) {
      value -= base ** length - base ** (length - 1);
      lead += this.#digits.at(-1);
      length++;
    }
    if (value >= base ** length) return undefined;
    let text = '';
    for (let i = 0; i < length; i++) {
      text = (this.#digits[value % base] ?? '') + text;
      value = Math.floor(value / base);
    }
    return lead === '' ? text : lead + text.slice(lead.length - (length - this.#length));
  }
}

function separatorOf(options: Options): string {
  const found = [...new Set(options.all('t'))];
  const text = found[0];
  if (found.length > 1) throw unhinted('multiple separator characters specified');
  if (text === undefined) return '\n';
  if (text === '') throw unhinted('empty record separator');
  if (text === '\\0') return '\0';
  if (text.length > 1) throw unhinted(`multi-character separator '${text}'`);
  return text;
}

/** Whether pieces that are empty are files, too. */
const keepsEmpty = (options: Options, way: Way): boolean => 'count' in way && !options.has('e');

export async function split(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'a:b:C:del:n:t:ux',
    digits: true,
    long: {
      'suffix-length': 'a:',
      'additional-suffix': 'additional:',
      bytes: 'b:',
      'line-bytes': 'C:',
      'numeric-suffixes': 'd::',
      'hex-suffixes': 'x::',
      'elide-empty-files': 'e',
      filter: 'filter:',
      lines: 'l:',
      number: 'n:',
      separator: 't:',
      unbuffered: 'u',
      verbose: 'verbose',
    },
  });
  const way = wayOf(options);
  const separator = separatorOf(options);
  const [file = '-', prefix = 'x', extra] = options.operands;
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  const additional = options.get('additional') ?? '';
  if (additional.includes('/'))
    throw new UsageError(`invalid suffix '${additional}', contains directory separator`);
  const count = 'count' in way ? way.count : undefined;
  const suffixes = new Suffixes(options, count);
  const content = await tool.tryRead(file, 1, `cannot open '${file}' for reading`);
  if (content === undefined) return;
  const pieces = piecesOf(content, way, separator);
  if ('count' in way && way.k !== undefined) {
    tool.write(pieces[way.k - 1] ?? '');
    return;
  }
  const filter = options.get('filter');
  for (const piece of pieces) {
    if (piece === '' && !keepsEmpty(options, way)) continue;
    const suffix = suffixes.next();
    if (suffix === undefined) throw unhinted('output file suffixes exhausted');
    const name = `${prefix}${suffix}${additional}`;
    if (filter !== undefined) {
      if (!(await filtered(tool, filter, name, piece))) return;
      continue;
    }
    if (options.has('verbose')) tool.print(`creating file '${name}'\n`);
    const saved = await tool.attempt(name, async () => {
      await tool.fs.writeFile(tool.path(name), toBuffer(piece));
      return true;
    });
    if (saved === undefined) return;
  }
}

/** WorldAccess a piece to a command that finds its name in `$FILE`. */
async function filtered(tool: Tool, filter: string, name: string, piece: string): Promise<boolean> {
  const result = await tool.spawn(['env', `FILE=${name}`, 'sh', '-c', filter], piece);
  tool.write(result.stdout);
  tool.stderr += result.stderr;
  if (result.exitCode === 0) return true;
  tool.fail(`with FILE=${name}, exit ${result.exitCode} from command: ${filter}`);
  return false;
}
