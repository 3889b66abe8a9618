/** `--check`: files against a list of checksums. */
import type { Options } from '../support/getopt.ts';
import { errnoOf, splitLines, strerror, type Tool, toText } from '../support/tool.ts';
import { DIGESTS, type Digest, hexDigest } from './digests.ts';

/** A line of a list. */
interface Listed {
  digest: Digest;
  hex: string;
  bits: number;
  name: string;
}

/** What was found in one list. */
interface Tally {
  formatted: number;
  malformed: number;
  unreadable: number;
  wrong: number;
  matched: number;
}

const unescaped = (name: string): string =>
  name.replace(/\\([\\nr])/g, (_all, letter: string) =>
    letter === 'n' ? '\n' : letter === 'r' ? '\r' : '\\',
  );

/** Reads a line in either form; undefined if it is neither, or of another digest. */
function parseLine(line: string, expected: Digest | undefined): Listed | undefined {
  const escaped = line.startsWith('\\');
  const text = (escaped ? line.slice(1) : line).trimStart();
  const named = (name: string): string => (escaped ? unescaped(name) : name);
  const tagged = /^([A-Za-z0-9]+)(?:-(\d+))? ?\((.*)\) ?= ([0-9a-fA-F]+)$/.exec(text);
  if (tagged !== null) {
    const digest = Object.values(DIGESTS).find(({ tag }) => tag === tagged[1]);
    if (digest === undefined || (expected !== undefined && expected !== digest)) return undefined;
    const bits = Number(tagged[2] ?? digest.bits);
    const hex = tagged[4] ?? '';
    return hex.length * 4 === bits
      ? { digest, hex, bits, name: named(tagged[3] ?? '') }
      : undefined;
  }
  const plain = /^([0-9a-fA-F]+) [ *]?(.+)$/s.exec(text);
  if (plain === null || expected === undefined) return undefined;
  const bits = (plain[1] ?? '').length * 4;
  const fits = expected.tag === 'BLAKE2b' ? bits % 8 === 0 && bits <= 512 : bits === expected.bits;
  return fits
    ? { digest: expected, hex: plain[1] ?? '', bits, name: named(plain[2] ?? '') }
    : undefined;
}

/** Checks one list; says what became of each file. */
export class Checker {
  readonly #tool: Tool;
  readonly #options: Options;
  readonly #expected: Digest | undefined;

  /** @param expected the digest of the command; undefined if each line is to name its own. */
  constructor(tool: Tool, options: Options, expected: Digest | undefined) {
    this.#tool = tool;
    this.#options = options;
    this.#expected = expected;
  }

  async check(list: string): Promise<void> {
    const tool = this.#tool;
    const content = await tool.tryRead(list);
    if (content === undefined) return;
    const shown = list === '-' ? "'standard input'" : list;
    const tally: Tally = { formatted: 0, malformed: 0, unreadable: 0, wrong: 0, matched: 0 };
    for (const [index, bytes] of splitLines(content).entries()) {
      const line = toText(bytes).replace(/\r$/, '');
      if (line === '' || line.startsWith('#')) continue;
      const listed = parseLine(line, this.#expected);
      if (listed !== undefined) await this.#one(listed, tally);
      else {
        tally.malformed++;
        if (this.#options.has('w')) {
          const tag = this.#expected?.tag ?? '';
          tool.warn(`${shown}: ${index + 1}: improperly formatted ${tag} checksum line`);
        }
      }
      await tool.pulse();
    }
    this.#conclude(shown, tally);
  }

  async #one({ digest, hex, bits, name }: Listed, tally: Tally): Promise<void> {
    const tool = this.#tool;
    const silent = this.#options.has('status');
    const shown = name.includes('\n')
      ? `\\${name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}`
      : name;
    tally.formatted++;
    let bytes: Buffer;
    try {
      bytes = await tool.readBytes(name);
    } catch (error) {
      const why = strerror(error);
      if (why === undefined) throw error;
      if (this.#options.has('ignore-missing') && errnoOf(error) === 'ENOENT') return;
      tool.warn(`${name}: ${why}`);
      tally.unreadable++;
      if (!silent) tool.print(`${shown}: FAILED open or read\n`);
      return;
    }
    const same = hexDigest(digest, bytes, bits) === hex.toLowerCase();
    if (same) tally.matched++;
    else tally.wrong++;
    if (silent || (same && this.#options.has('quiet'))) return;
    tool.print(`${shown}: ${same ? 'OK' : 'FAILED'}\n`);
  }

  #conclude(shown: string, tally: Tally): void {
    const tool = this.#tool;
    if (tally.formatted === 0) {
      tool.fail(`${shown}: no properly formatted checksum lines found`);
      return;
    }
    const warn = (count: number, one: string, many: string): void => {
      if (count === 0 || this.#options.has('status')) return;
      tool.warn(`WARNING: ${count} ${count === 1 ? one : many}`);
    };
    warn(tally.malformed, 'line is improperly formatted', 'lines are improperly formatted');
    warn(tally.unreadable, 'listed file could not be read', 'listed files could not be read');
    warn(tally.wrong, 'computed checksum did NOT match', 'computed checksums did NOT match');
    const none = this.#options.has('ignore-missing') && tally.matched === 0;
    if (none && !this.#options.has('status')) tool.warn(`${shown}: no file was verified`);
    const strict = this.#options.has('strict') && tally.malformed > 0;
    if (tally.unreadable + tally.wrong > 0 || none || strict) tool.status = 1;
  }
}
