/** getopt: a script's options, put in order and quoted. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { quoted as shellQuoted } from '../../src/shell/quote.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';

type Need = 'none' | 'required' | 'optional';

/** What the script takes. */
interface Specification {
  short: ReadonlyMap<string, Need>;
  long: ReadonlyMap<string, Need>;
  /** `+`: operands end the options; `-`: they stay in their places. */
  order: '' | '+' | '-';
  /** Long names may have one dash. */
  alternative: boolean;
  name: string;
  silent: boolean;
}

const needOf = (colons: string): Need =>
  colons === '' ? 'none' : colons === ':' ? 'required' : 'optional';

function shortOf(text: string): Map<string, Need> {
  return new Map(
    [...text.matchAll(/([^:])(:{0,2})/g)].map(([, letter = '', colons = '']) => [
      letter,
      needOf(colons),
    ]),
  );
}

function longOf(lists: readonly string[]): Map<string, Need> {
  const names = lists.flatMap((list) => list.split(/[,\s]+/)).filter((name) => name !== '');
  return new Map(
    names.map((name) => {
      const bare = name.replace(/:+$/, '');
      return [bare, needOf(name.slice(bare.length))];
    }),
  );
}

const SH = new Set(['sh', 'bash']);
const CSH = new Set(['csh', 'tcsh']);

/** How a word is quoted for the shell that will read it. */
function quoted(word: string, options: Options): string {
  if (options.has('u')) return word;
  if (!CSH.has(options.get('s') ?? 'bash')) return shellQuoted(word);
  const escaped = word.replace(/[\\'!\s]/g, (char) => {
    if (char === '\\') return '\\\\';
    return char === '\n' ? '\\n' : `'\\${char}'`;
  });
  return `'${escaped}'`;
}

/** Puts arguments in order. */
class Sorter {
  readonly found: string[] = [];
  readonly rest: string[] = [];
  readonly faults: string[] = [];
  readonly #args: readonly string[];
  readonly #spec: Specification;
  readonly #quote: (word: string) => string;
  #at = 0;

  constructor(args: readonly string[], spec: Specification, quote: (word: string) => string) {
    this.#args = args;
    this.#spec = spec;
    this.#quote = quote;
  }

  sort(): void {
    while (this.#at < this.#args.length) {
      const arg = this.#args[this.#at++] ?? '';
      if (arg === '--') break;
      if (arg.startsWith('--')) this.#long(arg.slice(2), '--');
      else if (arg.length > 1 && arg.startsWith('-')) {
        if (this.#isAlternative(arg)) this.#long(arg.slice(1), '-');
        else this.#letters(arg.slice(1));
      } else if (this.#spec.order === '+') {
        this.#at--;
        break;
      } else if (this.#spec.order === '-') this.found.push(this.#quote(arg));
      else this.rest.push(arg);
    }
    this.rest.push(...this.#args.slice(this.#at));
  }

  /** Is it a long name behind one dash? A letter alone is one of the letters. */
  #isAlternative(arg: string): boolean {
    if (!this.#spec.alternative) return false;
    if (!this.#spec.short.has(arg[1] ?? '')) return true;
    return arg.length > 2 && this.#matches(arg.slice(1).split('=')[0] ?? '').length > 0;
  }

  #matches(name: string): string[] {
    if (this.#spec.long.has(name)) return [name];
    return [...this.#spec.long.keys()].filter((key) => key.startsWith(name));
  }

  #long(text: string, dashes: string): void {
    const equals = text.indexOf('=');
    const name = equals < 0 ? text : text.slice(0, equals);
    const near = this.#matches(name);
    const [full] = near;
    if (full === undefined) {
      this.faults.push(`unrecognized option '${dashes}${text}'`);
      return;
    }
    if (near.length > 1) {
      const list = near.map((one) => ` '${dashes}${one}'`).join('');
      this.faults.push(`option '${dashes}${name}' is ambiguous; possibilities:${list}`);
      return;
    }
    const need = this.#spec.long.get(full) ?? 'none';
    if (need === 'none') {
      if (equals >= 0) this.faults.push(`option '${dashes}${full}' doesn't allow an argument`);
      else this.found.push(`--${full}`);
      return;
    }
    const value =
      equals >= 0 ? text.slice(equals + 1) : need === 'required' ? this.#args[this.#at++] : '';
    if (value === undefined) this.faults.push(`option '${dashes}${full}' requires an argument`);
    else this.found.push(`--${full}`, this.#quote(value));
  }

  #letters(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const letter = text[i] ?? '';
      const need = this.#spec.short.get(letter);
      if (need === undefined) {
        this.faults.push(`invalid option -- '${letter}'`);
        continue;
      }
      if (need === 'none') {
        this.found.push(`-${letter}`);
        continue;
      }
      const attached = text.slice(i + 1);
      const value = attached !== '' || need === 'optional' ? attached : this.#args[this.#at++];
      if (value === undefined) this.faults.push(`option requires an argument -- '${letter}'`);
      else this.found.push(`-${letter}`, this.#quote(value));
      return;
    }
  }
}

async function getopt(tool: Tool): Promise<undefined> {
  const [first] = tool.args;
  // Of old the first word was the letters, and nothing was quoted.
  const old = first !== undefined && !first.startsWith('-');
  const options = tool.options(
    {
      short: 'ahl:n:o:qQs:TuV',
      stopAtOperand: true,
      long: {
        alternative: 'a',
        longoptions: 'l:',
        name: 'n:',
        options: 'o:',
        quiet: 'q',
        'quiet-output': 'Q',
        shell: 's:',
        test: 'T',
        unquoted: 'u',
      },
    },
    old ? ['-u', '--', ...tool.args] : tool.args,
  );
  const shell = options.get('s');
  if (shell !== undefined && !SH.has(shell) && !CSH.has(shell))
    throw new UsageError('unknown shell after -s or --shell argument');
  if (options.has('T')) {
    tool.status = 4;
    return;
  }
  const operands = [...options.operands];
  const letters = options.get('o') ?? operands.shift();
  if (letters === undefined) throw new UsageError('missing optstring argument', { status: 2 });
  const order = /^[+-]/.exec(letters)?.[0] ?? '';
  const silent = letters.slice(order.length).startsWith(':');
  const spec: Specification = {
    short: shortOf(letters.slice(order.length).replace(/^:/, '')),
    long: longOf(options.all('l')),
    order: tool.ctx.env.get('POSIXLY_CORRECT') === undefined ? (order as '' | '+' | '-') : '+',
    alternative: options.has('a'),
    name: options.get('n') ?? 'getopt',
    silent,
  };
  const quote = (word: string): string => quoted(word, options);
  const sorter = new Sorter(operands, spec, quote);
  sorter.sort();
  if (sorter.faults.length > 0) tool.status = 1;
  if (!options.has('q') && !silent) {
    for (const fault of sorter.faults) tool.stderr += `${spec.name}: ${fault}\n`;
  }
  if (options.has('Q')) return;
  const words = [...sorter.found, '--', ...sorter.rest.map(quote)];
  tool.print(` ${words.join(' ')}\n`);
}

/** getopt. */
export const getoptShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'getopt',
      usageStatus: 2,
      usage: `Usage: getopt OPTSTRING PARAMETERS
       getopt [options] [--] OPTSTRING PARAMETERS
       getopt [options] -o|--options OPTSTRING [options] [--] PARAMETERS

  -a, --alternative         allow long options starting with single -
  -l, --longoptions LIST    the long options to be recognized
  -n, --name NAME           the name under which errors are reported
  -o, --options OPTSTRING   the short options to be recognized
  -q, --quiet               no errors    -Q, --quiet-output  no output
  -s, --shell SHELL         quoting conventions of SHELL
  -T, --test                status 4     -u, --unquoted      do not quote the output`,
    },
    getopt,
  ),
];
