/** Character sets: UTF-8, UTF-16, UTF-32, Latin-1, ASCII, and those that TextDecoder knows. */

/** Where a text cannot be read or written in a character set; what came before it can. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
  /** What was converted: text, or already the bytes of the other set. */
  readonly before: string;
  readonly inTarget: boolean;

  constructor(what: string, before: string, inTarget = false) {
    super(what);
    this.before = before;
    this.inTarget = inTarget;
  }
}

/** What is done with characters that the other set does not have. */
export interface Leniency {
  ignore: boolean;
  translit: boolean;
}

/** A name without what is only punctuation in it. */
const bare = (name: string): string => name.replace(/[-_]/g, '');
const LATIN1 = /^(?:iso88591|latin1|l1)$/;
const ASCII = /^(?:ascii|usascii|ansix3\.41968)$/;
const WIDE = /^(?:utf(16|32)|ucs([24]))(le|be)?$/;

/** How wide the units of a name are, in which order their bytes stand, and whether a mark says so. */
function wideOf(name: string): { size: 2 | 4; order: 'le' | 'be'; marked: boolean } | undefined {
  const [all, utf, ucs, order] = WIDE.exec(bare(name)) ?? [];
  if (all === undefined) return undefined;
  return {
    size: utf === '16' || ucs === '2' ? 2 : 4,
    order: order === 'be' || (ucs === '4' && order === undefined) ? 'be' : 'le',
    marked: utf !== undefined && order === undefined,
  };
}

const incomplete = (before: string): ConversionError =>
  new ConversionError('incomplete character or shift sequence at end of buffer', before);
const illegal = (before: string, at: number, inTarget = false): ConversionError =>
  new ConversionError(`illegal input sequence at position ${at}`, before, inTarget);

/** Is this a set that can be read? */
export function isReadable(name: string): boolean {
  if (LATIN1.test(bare(name)) || ASCII.test(bare(name)) || wideOf(name) !== undefined) return true;
  return decoderOf(name, true) !== undefined;
}

function decoderOf(name: string, fatal: boolean): InstanceType<typeof TextDecoder> | undefined {
  const wide = wideOf(name);
  const label = wide?.size === 2 ? `utf-16${wide.order}` : bare(name) === 'utf8' ? 'utf-8' : name;
  try {
    return new TextDecoder(label, { fatal, ignoreBOM: wide?.marked !== true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** Bytes as text. Fails with a {@link ConversionError}, unless what is no text is to be left out. */
export function decode(bytes: Buffer, name: string, ignore: boolean): string {
  if (LATIN1.test(bare(name))) return bytes.toString('latin1');
  if (ASCII.test(bare(name))) {
    const at = bytes.findIndex((byte) => byte > 0x7f);
    if (at >= 0 && !ignore) throw illegal(bytes.toString('latin1', 0, at), at);
    return bytes.toString('latin1').replace(/[^\0-\x7f]/g, '');
  }
  const wide = wideOf(name);
  if (wide?.size === 4) return decode32(bytes, wide, ignore);
  // A mark of the other order counts where the name says nothing of it.
  const turned = wide?.marked === true && bytes[0] === 0xfe && bytes[1] === 0xff;
  const label = turned ? 'utf-16be' : name;
  const rest = turned ? bytes.subarray(2) : bytes;
  const decoder = decoderOf(label, !ignore);
  if (decoder === undefined) throw new Error(`${name} cannot be read`);
  if (ignore) return decoder.decode(rest).replaceAll('\ufffd', '');
  try {
    return decoder.decode(rest);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw firstFault(rest, label);
  }
}

/** Where bytes stop being text: the longest beginning that may still become one is looked for. */
function firstFault(bytes: Buffer, label: string): ConversionError {
  const beginning = (length: number): string | undefined => {
    try {
      return decoderOf(label, true)?.decode(bytes.subarray(0, length), { stream: true });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return undefined;
    }
  };
  let [good, bad] = [0, bytes.length + 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (beginning(middle) === undefined) bad = middle;
    else good = middle;
  }
  const before = beginning(good) ?? '';
  return good === bytes.length ? incomplete(before) : illegal(before, lengthOf(before, label));
}

/** How many bytes a text took. */
function lengthOf(text: string, name: string): number {
  if (bare(name) === 'utf8') return Buffer.byteLength(text);
  const wide = wideOf(name);
  if (wide?.size === 2) return text.length * 2;
  return [...text].length * (wide?.size ?? 1);
}

function decode32(
  bytes: Buffer,
  { order, marked }: { order: 'le' | 'be'; marked: boolean },
  ignore: boolean,
): string {
  let out = '';
  let big = order === 'be';
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const mark = marked && at === 0 ? bytes.readUInt32LE(0) : 0;
    if (mark === 0xfffe0000) big = true;
    if (mark === 0xfffe0000 || mark === 0xfeff) continue;
    const point = big ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
    const isText = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    if (isText) out += String.fromCodePoint(point);
    else if (!ignore) throw illegal(out, at);
  }
  if (bytes.length % 4 !== 0 && !ignore) throw incomplete(out);
  return out;
}

/** What stands for characters of typography that are no letters with a mark. */
const SPELLED: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201a': ',',
  '\u201c': '"',
  '\u201d': '"',
  '\u201e': ',,',
  '\u2010': '-',
  '\u2011': '-',
  '\u2013': '-',
  '\u2014': '--',
  '\u2212': '-',
  '\u2022': 'o',
  '\u2039': '<',
  '\u203a': '>',
  '\u00ab': '<<',
  '\u00bb': '>>',
  '\u2192': '->',
  '\u2264': '<=',
  '\u20ac': 'EUR',
  '\u00a9': '(C)',
  '\u00ae': '(R)',
  '\u00d7': 'x',
  '\u00df': 'ss',
  '\u00e6': 'ae',
  '\u00c6': 'AE',
  '\u00f8': 'o',
  '\u00d8': 'O',
  '\u0153': 'oe',
  '\u0152': 'OE',
  '\u0142': 'l',
  '\u0141': 'L',
};
const MARKS = /\p{M}/gu;

/** The characters of a set of one byte each, with their bytes. */
function bytesOf(name: string): ReadonlyMap<string, number> | undefined {
  if (LATIN1.test(bare(name)) || ASCII.test(bare(name))) {
    const length = ASCII.test(bare(name)) ? 0x80 : 0x100;
    return new Map(Array.from({ length }, (_, code) => [String.fromCharCode(code), code]));
  }
  const all = decoderOf(name, false)?.decode(Uint8Array.from({ length: 256 }, (_, code) => code));
  if (all?.length !== 256) return undefined;
  return new Map(
    [...all]
      .map((char, code): [string, number] => [char, code])
      .filter(([char]) => char !== '\ufffd'),
  );
}

/**
 * Text as bytes; undefined where the set cannot be written.
 * @param from the set that the text came from, in which a {@link ConversionError} says where it stopped
 */
export function encode(
  text: string,
  name: string,
  { ignore, translit }: Leniency,
  from: string,
): Buffer | undefined {
  if (bare(name) === 'utf8') return Buffer.from(text, 'utf8');
  const wide = wideOf(name);
  if (wide !== undefined) {
    const units = `${wide.marked ? '\ufeff' : ''}${text}`;
    const bytes = wide.size === 2 ? Buffer.from(units, 'utf16le') : utf32(units);
    if (wide.order === 'le') return bytes;
    return wide.size === 2 ? bytes.swap16() : bytes.swap32();
  }
  const known = bytesOf(name);
  if (known === undefined) return undefined;
  const out: number[] = [];
  let at = 0;
  for (const char of text) {
    const code = known.get(char);
    if (code !== undefined) out.push(code);
    else if (translit) {
      const plain = SPELLED[char] ?? char.normalize('NFKD').replace(MARKS, '');
      const codes = [...plain].map((one) => known.get(one) ?? null);
      out.push(...(codes.includes(null) ? [0x3f] : codes.map(Number)));
    } else if (!ignore)
      throw illegal(Buffer.from(out).toString('latin1'), lengthOf(text.slice(0, at), from), true);
    at += char.length;
  }
  return Buffer.from(out);
}

function utf32(text: string): Buffer {
  const points = [...text].map((char) => char.codePointAt(0) ?? 0);
  const out = Buffer.alloc(points.length * 4);
  for (const [i, point] of points.entries()) out.writeUInt32LE(point, i * 4);
  return out;
}
