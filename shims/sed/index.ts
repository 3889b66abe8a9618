/** sed. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { baseOf, dirOf } from '../basename/index.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { isByteLocale } from '../support/locale.ts';
import { defineTool, errnoOf, type Tool, toBytes, toText } from '../support/tool.ts';
import { Editor, type Input, type SedHost, type SedState, sedState } from './run.ts';
import { ScriptParser, type SedCommand } from './script.ts';

const LONG = {
  quiet: 'n',
  silent: 'n',
  debug: 'debug',
  expression: 'e:',
  file: 'f:',
  'follow-symlinks': 'ignored',
  'in-place': 'i::',
  'line-length': 'l:',
  posix: 'ignored',
  'regexp-extended': 'E',
  separate: 's',
  sandbox: 'ignored',
  unbuffered: 'u',
  'null-data': 'z',
};

interface Content {
  name: string;
  bytes: string;
}

async function scriptOf(tool: Tool, options: Options): Promise<string | undefined> {
  const pieces: string[] = [];
  for (const [key, value] of options.seen) {
    if (key === 'e') pieces.push(value);
    if (key !== 'f') continue;
    const content = await tool.tryRead(value, 1, `couldn't open file ${value}`);
    if (content === undefined) return undefined;
    pieces.push(toText(content).replace(/\n$/, ''));
  }
  if (pieces.length > 0) return pieces.join('\n');
  const script = options.operands.shift();
  if (script === undefined) throw new UsageError('no script specified', { hint: true });
  return script;
}

/** Is it text in UTF-8? If some input is not, all is handled as bytes. */
function isUtf8(bytes: string): boolean {
  return !/[\x80-\xff]/.test(bytes) || toText(bytes) !== bytes;
}

/** Of `-l`: how wide the lines of the command `l` are. */
function widthOf(text = '70'): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`invalid line length: ${text}`, { hint: false });
  return Number(text);
}

class Sed {
  readonly #tool: Tool;
  readonly #options: Options;
  readonly #end: string;
  readonly #style: { end: string; width: number };
  /** Content is taken as bytes, not as text. */
  #raw = false;
  readonly #files = new Map<string, string>();

  constructor(tool: Tool, options: Options) {
    this.#tool = tool;
    this.#options = options;
    this.#end = options.has('z') ? '\0' : '\n';
    this.#style = { end: this.#end, width: widthOf(options.get('l')) };
  }

  #decode(bytes: string): string {
    return this.#raw ? bytes : toText(bytes);
  }

  #encode(text: string): string {
    return this.#raw ? text : toBytes(text);
  }

  #input({ name, bytes }: Content): Input {
    const text = this.#decode(bytes);
    const lines = text === '' ? [] : text.split(this.#end);
    const open = lines.at(-1) !== '';
    if (lines.length > 0 && !open) lines.pop();
    const last = lines.length - 1;
    return { name, lines, open: new Set(open && last >= 0 ? [last] : []) };
  }

  #host(print: (bytes: string) => void): SedHost {
    return {
      bytesOf: (text) => this.#encode(text),
      print: (text) => print(this.#encode(text)),
      write: (file, text) => {
        if (file === '/dev/stdout') this.#tool.write(this.#encode(text));
        else if (file === '/dev/stderr') this.#tool.stderr += text;
        else this.#append(file, text);
      },
      read: async (file) => {
        try {
          return this.#decode(await this.#tool.read(file));
        } catch (error) {
          // A file that is not there counts as an empty one; a refusal does not.
          if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'EISDIR') {
            this.#tool.complain(`couldn't read ${file}`, error);
          }
          return '';
        }
      },
      pulse: () => this.#tool.pulse(),
    };
  }

  #append(file: string, text: string): void {
    this.#files.set(file, (this.#files.get(file) ?? '') + text);
  }

  async #contents(inPlace: boolean): Promise<Content[]> {
    const names = this.#options.operands.length === 0 ? ['-'] : this.#options.operands;
    const out: Content[] = [];
    for (const [i, name] of names.entries()) {
      try {
        // Stdin that was read is at its end.
        const isSpent = name === '-' && names.indexOf('-') < i;
        out.push({ name, bytes: isSpent ? '' : await this.#tool.read(name) });
      } catch (error) {
        if (errnoOf(error) === 'EISDIR') {
          if (inPlace) this.#tool.fail(`couldn't edit ${name}: not a regular file`, 4);
          else this.#tool.fail(`read error on ${name}: Is a directory`, 2);
        } else this.#tool.complain(`can't read ${name}`, error, 2);
      }
    }
    return out;
  }

  async run(script: string): Promise<void> {
    const inPlace = this.#options.has('i');
    const contents = await this.#contents(inPlace);
    this.#raw = isByteLocale(this.#tool.ctx.env) || contents.some(({ bytes }) => !isUtf8(bytes));
    const extended = this.#options.has('E') || this.#options.has('r');
    const source = this.#raw ? toBytes(script) : script;
    const hashN = source === '#n' || source.startsWith('#n\n');
    const commands = new ScriptParser(source, extended, this.#raw).parse();
    const quiet = this.#options.has('n') || hashN;
    for (const command of commands) {
      const file =
        command.name === 'w' || command.name === 'W' ? command.text : command.substitution?.file;
      if (file !== undefined && !file.startsWith('/dev/std')) this.#files.set(file, '');
    }
    if (inPlace) await this.#inPlace(commands, contents, quiet);
    else await this.#stream(commands, contents, quiet);
    for (const [file, text] of this.#files) {
      await this.#tool.attempt(
        `couldn't open file ${file}`,
        () => this.#tool.save(file, this.#encode(text)),
        4,
      );
    }
  }

  async #stream(commands: SedCommand[], contents: Content[], quiet: boolean): Promise<void> {
    const state = sedState();
    const host = this.#host((bytes) => this.#tool.write(bytes));
    const separate = this.#options.has('s');
    const inputs = contents.map((content) => this.#input(content));
    const joined = separate || inputs.length < 2 ? inputs : [merge(inputs)];
    for (const [i, input] of joined.entries()) {
      if (state.quit !== undefined) break;
      if (separate) startAgain(state);
      const final = separate || i === joined.length - 1;
      await new Editor(commands, host, state, input, { ...this.#style, quiet, final }).run();
      if (separate && i < joined.length - 1 && state.quit === 0) state.quit = undefined;
    }
    if (state.quit !== undefined) this.#tool.enough();
    if (state.quit) this.#tool.status = state.quit;
  }

  async #inPlace(commands: SedCommand[], contents: Content[], quiet: boolean): Promise<void> {
    const { openFiles } = sedState();
    for (const content of contents) {
      const state = { ...sedState(), openFiles };
      let out = '';
      const host = this.#host((bytes) => {
        out += bytes;
      });
      const input = this.#input(content);
      await new Editor(commands, host, state, input, { ...this.#style, quiet, final: true }).run();
      await this.#save(content, out);
      if (state.quit === undefined) continue;
      // As with GNU's sed the rest of that file is gone, and those after it are as they were.
      if (state.quit > 0) this.#tool.status = state.quit;
      break;
    }
  }

  async #save({ name, bytes }: Content, out: string): Promise<void> {
    const suffix = this.#options.get('i') ?? '';
    await this.#tool.attempt(
      `couldn't write to ${name}`,
      async () => {
        if (suffix !== '') {
          const base = baseOf(name);
          const backup = suffix.includes('*') ? suffix.replaceAll('*', base) : base + suffix;
          await this.#tool.save(backup.includes('/') ? backup : `${dirOf(name)}/${backup}`, bytes);
        }
        if (out !== bytes) await this.#tool.save(name, out);
      },
      4,
    );
  }
}

/** With -s each file has its own numbers and ranges. */
function startAgain(state: SedState): void {
  state.line = 0;
  state.ranges.clear();
  state.closed.clear();
}

/** Several streams as one. */
function merge(inputs: readonly Input[]): Input {
  const lines: string[] = [];
  const open = new Set<number>();
  for (const input of inputs) {
    for (const at of input.open) open.add(lines.length + at);
    for (const line of input.lines) lines.push(line);
  }
  return { name: inputs[0]?.name ?? '-', lines, open };
}

async function sed(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'bnNe:f:Ei::l:rsuz', long: LONG });
  const script = await scriptOf(tool, options);
  if (script === undefined) return;
  if (options.has('debug')) {
    throw new UsageError('--debug is not to be had here: run the script without it', {
      hint: false,
    });
  }
  if (options.has('i') && options.operands.length === 0) {
    throw new UsageError('no input files', { hint: false, status: 4 });
  }
  await new Sed(tool, options).run(script);
}

/** sed. */
export const sedShims: ShimFactory = (host) => [
  defineTool(host, { name: 'sed', usage: 'Usage: sed [OPTION]... {script} [input-file]...' }, sed),
];
