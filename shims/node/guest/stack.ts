/** Errors as V8 words and draws them: what the engine calls otherwise, and where it was. */
import type { Guest } from './loose.ts';

interface CallSite {
  getFunctionName(): string | null;
  getFileName(): string | null;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
}

/** Files of this guest, which nobody wants to see in a stack. */
const OURS = /^dirigent[:-]/;
/** A line that begins a module, and is none of its author's. */
export const moduleLine = (url: string): string =>
  `globalThis[Symbol.for("dirigent.entries")].meta(import.meta,${JSON.stringify(url)});`;

/** What stands before the text of a module of CommonJS, on its first line. */
export const WRAPPER = '(function (exports, require, module, __filename, __dirname) {';

const WORDS: readonly [RegExp, (...parts: string[]) => string][] = [
  [
    /^cannot read property '(.*)' of (undefined|null)$/s,
    (name, what) => `Cannot read properties of ${what} (reading '${name}')`,
  ],
  [
    /^cannot set property '(.*)' of (undefined|null)$/s,
    (name, what) => `Cannot set properties of ${what} (setting '${name}')`,
  ],
  [/^'?(.*?)'? is read-only$/, () => 'Assignment to constant variable.'],
  [/^(.*) is not initialized$/, (name) => `Cannot access '${name}' before initialization`],
  [/^invalid array length$/, () => 'Invalid array length'],
  [/^'(.*)' is not defined$/, (name) => `${name} is not defined`],
  [/^empty array$/, () => 'Reduce of empty array with no initial value'],
  [/^cannot convert symbol to string$/, () => 'Cannot convert a Symbol value to a string'],
  [/^cannot convert symbol to number$/, () => 'Cannot convert a Symbol value to a number'],
  [/^bigint argument with unary \+$/, () => 'Cannot convert a BigInt value to a number'],
  [/^Date value is NaN$/, () => 'Invalid time value'],
  [/^expecting hex digit$/, () => 'URI malformed'],
  [/^invalid number of digits$/, () => 'toFixed() digits argument must be between 0 and 100'],
  [/^invalid 'instanceof' right operand$/, () => "Right-hand side of 'instanceof' is not callable"],
  [
    /^cannot convert (?:to BigInt|BigInt to number)$/,
    () => 'Cannot mix BigInt and other types, use explicit conversions',
  ],
  [
    /^both operands must be BigInts?$/,
    () => 'Cannot mix BigInt and other types, use explicit conversions',
  ],
];

/** @param sources of scripts, by their files */
export function installStack(_guest: Guest, sources: ReadonlyMap<string, string>): void {
  const native = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  let custom: unknown;
  const prepare = (error: Error, sites: CallSite[]): unknown => {
    reword(error, sites[0], sources);
    const shown = sites.filter(
      (site) =>
        !OURS.test(site.getFileName() ?? '') &&
        !/^(?:__host.*|call|apply)$/.test(
          site.getFileName() === null ? (site.getFunctionName() ?? '') : '',
        ),
    );
    if (typeof custom === 'function') return custom(error, shown);
    const head = headOf(error);
    const lines = shown.map((site) => `\n    at ${drawn(site)}`);
    return head + lines.join('');
  };
  if (native?.set !== undefined) native.set.call(Error, prepare);
  else (Error as { prepareStackTrace?: unknown }).prepareStackTrace = prepare;
  if (native?.set === undefined) return;
  Object.defineProperty(Error, 'prepareStackTrace', {
    configurable: true,
    enumerable: false,
    get: () => custom,
    set: (value: unknown) => {
      custom = value;
    },
  });
}

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

/** Its column, as its author counts. */
function columnOf(site: CallSite): number {
  const file = site.getFileName() ?? '';
  const column = site.getColumnNumber() ?? 1;
  if ((site.getLineNumber() ?? 1) > 1) return column;
  const before = file.startsWith('file:')
    ? moduleLine(file).length
    : file.startsWith('/')
      ? WRAPPER.length
      : 0;
  return Math.max(1, column - before);
}

function drawn(site: CallSite): string {
  const file = site.getFileName();
  if (file === null) return `${site.getFunctionName()} (<anonymous>)`;
  const line = site.getLineNumber() ?? 1;
  const where = `${file}:${line}:${columnOf(site)}`;
  const name = site.getFunctionName() ?? '';
  if (name === '' || name === '<anonymous>' || name === '<eval>') {
    return file.startsWith('/') && name !== '<eval>' ? `Object.<anonymous> (${where})` : where;
  }
  return `${name} (${where})`;
}

/** Says what the engine says in the words of V8, where it said it. */
function reword(
  error: Error,
  site: CallSite | undefined,
  sources: ReadonlyMap<string, string>,
): void {
  if (!(error instanceof Error)) return;
  const { message } = error;
  if (typeof message !== 'string') return;
  const set = (text: string): void => {
    Object.defineProperty(error, 'message', {
      value: text,
      configurable: true,
      enumerable: false,
      writable: true,
    });
  };
  for (const [pattern, say] of WORDS) {
    const match = pattern.exec(message);
    if (match !== null) return set(say(...match.slice(1)));
  }
  if (message !== 'not a function' || site === undefined) return;
  const line = sources.get(site.getFileName() ?? '')?.split('\n')[(site.getLineNumber() ?? 1) - 1];
  const called = line === undefined ? null : calledAt(line, columnOf(site));
  if (called !== null) set(`${called.name} is not a ${called.isMade ? 'constructor' : 'function'}`);
}

const RECEIVER = /[A-Za-z_$][\w$]*(?:\.[\w$]+|\[[^[\]]*\])*\??\.$/;

/** Of a call in the first line the engine names what stands before it: the dot of a method, or a space. */
function startOfName(text: string, column: number): number {
  return /[.\s]/.test(text[column - 1] ?? '') ? column : column - 1;
}

/** What is called at a column of a line, of a method with what it is of; null where that is not plain. */
function calledAt(line: string, column: number): { name: string; isMade: boolean } | null {
  const start = startOfName(line, column);
  const [before, after] = [line.slice(0, start), line.slice(start)];
  const isMade = /\bnew\s+$/.test(before);
  const chain = isMade ? /^[A-Za-z_$][\w$]*(?:\.[\w$]+)*(?=\s*\()/ : /^[A-Za-z_$][\w$]*(?=\s*\()/;
  const called = chain.exec(after)?.[0];
  if (called === undefined) return null;
  const receiver = RECEIVER.exec(before)?.[0] ?? '';
  if (/[.)\]?\w$]$/.test(before.slice(0, before.length - receiver.length))) return null;
  return { name: receiver.replace('?.', '.') + called, isMade };
}

/** The call at which a stack begins, as its source has it: `assert(a === b)`. */
export function callAt(
  error: { stack?: unknown },
  sources: ReadonlyMap<string, string>,
): string | undefined {
  const match = /\n\s+at (?:.*\()?((?:\/|file:|\[).*?):(\d+):(\d+)\)?/.exec(String(error.stack));
  const [, file = '', line = '1', column = '1'] = match ?? [];
  const text = sources.get(file)?.split('\n')[Number(line) - 1];
  if (text === undefined) return undefined;
  const at = startOfName(text, Number(column));
  const start = at - (RECEIVER.exec(text.slice(0, at))?.[0].length ?? 0);
  let depth = 0;
  let quote = '';
  for (let index = at; index < text.length; index++) {
    const character = text[index] ?? '';
    if (quote !== '') {
      if (character === '\\') index += 1;
      else if (character === quote) quote = '';
    } else if (/["'`]/.test(character)) quote = character;
    else if (character === '(') depth += 1;
    else if (character === ')' && --depth === 0) return text.slice(start, index + 1).trim();
  }
  return text.slice(start).trim();
}
