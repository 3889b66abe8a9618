/** dd's operands: `if=FILE bs=1M conv=notrunc,sync`. */
import { UsageError } from '../support/getopt.ts';

/** What is to be done. Sizes are in bytes; `count`, `skip` and `seek` in blocks unless the flag beside says bytes. */
export interface Request {
  input: {
    file: string | undefined;
    block: number;
    count: number | undefined;
    countBytes: boolean;
    skip: number;
    skipBytes: boolean;
  };
  output: {
    file: string | undefined;
    block: number;
    seek: number;
    seekBytes: boolean;
    append: boolean;
  };
  /** `cbs=`; 0 where none is given. */
  recordSize: number;
  conversions: ReadonlySet<string>;
  status: 'none' | 'noxfer' | 'progress' | 'default';
}

const DEFAULT_BLOCK = 512;

const CONVERSIONS = new Set(
  'ascii ebcdic ibm block unblock lcase ucase swab sync excl nocreat notrunc noerror fdatasync fsync sparse'.split(
    ' ',
  ),
);
const FLAGS = new Set(
  'append count_bytes skip_bytes seek_bytes fullblock direct directory dsync sync nonblock noatime nocache noctty nofollow cio binary text'.split(
    ' ',
  ),
);
/** Of each pair one alone can be asked for. */
const EXCLUSIVE = [
  ['ascii', 'ebcdic', 'ibm'],
  ['block', 'unblock'],
  ['lcase', 'ucase'],
  ['excl', 'nocreat'],
];

const UNITS: Readonly<Record<string, number>> = { '': 1, c: 1, w: 2, b: 512 };

/** 512, 4k, 2x1M, 10MB: factors, each with a unit. */
function sizeOf(text: string): number | undefined {
  let product = 1;
  for (const factor of text.split('x')) {
    const match = /^(\d+)(?:([kKMGTPE])(B|iB)?|([cwb]?))$/.exec(factor);
    if (match === null) return undefined;
    const unit =
      match[2] === undefined
        ? (UNITS[match[4] ?? ''] ?? 1)
        : (match[3] === 'B' ? 1000 : 1024) ** ' KMGTPE'.indexOf(match[2].toUpperCase());
    product *= Number(match[1]) * unit;
  }
  return product;
}

const unhinted = (message: string): UsageError => new UsageError(message, { hint: false });

function list(key: string, text: string, known: ReadonlySet<string>): Set<string> {
  const what = key === 'conv' ? 'conversion' : key === 'iflag' ? 'input flag' : 'output flag';
  const words = text.split(',');
  for (const word of words) {
    if (!known.has(word)) throw new UsageError(`invalid ${what}: '${word}'`);
  }
  return new Set(words);
}

function statusOf(text: string): Request['status'] {
  if (text === 'none' || text === 'noxfer' || text === 'progress') return text;
  throw new UsageError(`invalid status level: '${text}'`);
}

/** Where GNU counts bytes although blocks are the rule: a `B` behind the number. */
function counted(text: string): [number: string, inBytes: boolean] {
  return /^\d+B$/.test(text) ? [text.slice(0, -1), true] : [text, false];
}

/** Reads the operands. Fails with {@link UsageError} in dd's words. */
export function parseOperands(args: readonly string[]): Request {
  const given = new Map<string, string>();
  for (const arg of args) {
    if (arg === '--') continue;
    const equals = arg.indexOf('=');
    const key = arg.slice(0, Math.max(equals, 0));
    const known = /^(?:if|of|bs|ibs|obs|cbs|count|skip|iseek|o?seek|conv|iflag|oflag|status)$/.test(
      key,
    );
    if (!known) {
      if (/^--/.test(arg)) throw new UsageError(`unrecognized option '${arg}'`);
      if (/^-./.test(arg))
        throw new UsageError(`invalid option -- '${arg.replace(/^--?/, '')[0] ?? '-'}'`);
      throw new UsageError(`unrecognized operand '${arg}'`);
    }
    const other = { iseek: 'skip', oseek: 'seek' }[key];
    given.set(other ?? key, arg.slice(equals + 1));
  }
  const size = (key: string): number | undefined => {
    const text = given.get(key);
    if (text === undefined) return undefined;
    const value = sizeOf(text);
    if (value === undefined || value === 0) throw unhinted(`invalid number: '${text}'`);
    return value;
  };
  const count = (key: string): [value: number | undefined, inBytes: boolean] => {
    const text = given.get(key);
    if (text === undefined) return [undefined, false];
    const [number, inBytes] = counted(text);
    const value = sizeOf(number);
    if (value === undefined) throw unhinted(`invalid number: '${text}'`);
    return [value, inBytes];
  };
  const flags = (key: string): Set<string> =>
    given.has(key) ? list(key, given.get(key) ?? '', FLAGS) : new Set();
  const conversions = given.has('conv')
    ? list('conv', given.get('conv') ?? '', CONVERSIONS)
    : new Set<string>();
  // Without records there is nothing to block.
  if (size('cbs') === undefined) for (const name of EXCLUSIVE[1] ?? []) conversions.delete(name);
  for (const group of EXCLUSIVE) {
    if (group.filter((name) => conversions.has(name)).length < 2) continue;
    const shown = group[0] === 'ascii' ? '{ascii,ebcdic,ibm}' : `${group[0]} and ${group[1]}`;
    throw unhinted(
      `cannot combine ${shown === '{ascii,ebcdic,ibm}' ? `any two of ${shown}` : shown}`,
    );
  }
  const [inFlags, outFlags] = [flags('iflag'), flags('oflag')];
  const both = size('bs');
  const [wanted, wantedBytes] = count('count');
  const [skip, skipBytes] = count('skip');
  const [seek, seekBytes] = count('seek');
  return {
    input: {
      file: given.get('if'),
      block: both ?? size('ibs') ?? DEFAULT_BLOCK,
      count: wanted,
      countBytes: wantedBytes || inFlags.has('count_bytes'),
      skip: skip ?? 0,
      skipBytes: skipBytes || inFlags.has('skip_bytes'),
    },
    output: {
      file: given.get('of'),
      block: both ?? size('obs') ?? DEFAULT_BLOCK,
      seek: seek ?? 0,
      seekBytes: seekBytes || outFlags.has('seek_bytes'),
      append: outFlags.has('append'),
    },
    recordSize: size('cbs') ?? 0,
    conversions,
    status: given.has('status') ? statusOf(given.get('status') ?? '') : 'default',
  };
}
