/** The bindings that turn text into bytes, and addresses into their parts. Tables are the host's. */
import type { CallHost, Guest } from './loose.ts';
import type { Bindings } from './realm.ts';

type Bytes = Uint8Array;
type View = ArrayBufferView | ArrayBuffer;

/** By their numbers in Node.js. */
const ENCODINGS = ['ascii', 'utf8', 'base64', 'utf16le', 'latin1', 'hex', 'buffer', 'base64url'];

/** Short text of ASCII is turned here: a call of the host takes longer. */
const SHORT = 48;

export const bytesOf = (view: View): Bytes =>
  ArrayBuffer.isView(view)
    ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    : new Uint8Array(view);

/** The parts in one piece. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Text as bytes, and back. */
export function coder(host: CallHost) {
  const encode = (text: string, encoding: string): Bytes => host('encode', text, encoding) as Bytes;
  const decode = (bytes: Bytes, encoding: string): string => {
    if (bytes.length === 0) return '';
    if (bytes.length <= SHORT && (encoding === 'utf8' || encoding === 'latin1')) {
      const isPlain = encoding === 'latin1' || bytes.every((byte) => byte < 0x80);
      if (isPlain) return String.fromCharCode(...bytes);
    }
    return host('decode', bytes, encoding) as string;
  };
  const byteLength = (text: string): number => {
    if (text.length <= SHORT) {
      let index = 0;
      while (index < text.length && text.charCodeAt(index) < 0x80) index += 1;
      if (index === text.length) return index;
    }
    return host('byteLength', text) as number;
  };
  return { encode, decode, byteLength };
}

function compare(a: Bytes, b: Bytes): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

/** Where bytes are in others, forwards or backwards from an offset that may be negative. */
function indexOf(all: Bytes, part: Bytes, offset: number, isForward: boolean, step = 1): number {
  const { length } = all;
  let at = Math.trunc(offset < 0 ? offset + length : offset);
  if (at < 0) {
    if (!isForward && part.length > 0) return -1;
    at = 0;
  }
  const last = length - part.length;
  if (last < 0 || (isForward && at > last && part.length > 0)) return -1;
  at = Math.min(at, last);
  if (part.length === 0) return at;
  const isAt = (start: number): boolean => {
    for (let index = 0; index < part.length; index++)
      if (all[start + index] !== part[index]) return false;
    return start % step === 0;
  };
  const [first] = part;
  if (!isForward) {
    for (; at >= 0; at--) if (isAt(at)) return at;
    return -1;
  }
  for (;;) {
    at = all.indexOf(first ?? 0, at);
    if (at === -1 || at > last) return -1;
    if (isAt(at)) return at;
    at += 1;
  }
}

function swap(view: View, size: number): View {
  const bytes = bytesOf(view);
  for (let at = 0; at + size <= bytes.length; at += size) bytes.subarray(at, at + size).reverse();
  return view;
}

function bufferBinding(host: CallHost): object {
  const { encode, decode, byteLength } = coder(host);
  const slice =
    (encoding: string) =>
    (view: View, start = 0, end = Number.MAX_SAFE_INTEGER): string =>
      decode(bytesOf(view).subarray(start, Math.max(start, end)), encoding);
  /** Writes no half of a character. */
  const whole = (bytes: Bytes, room: number): Bytes => {
    if (bytes.length <= room) return bytes;
    let end = room;
    while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    return bytes.subarray(0, end);
  };
  const write =
    (encoding: string) =>
    (view: View, text: string, offset = 0, length = Number.MAX_SAFE_INTEGER): number => {
      const bytes = bytesOf(view);
      const room = Math.min(bytes.length - offset, length);
      const encoded = encode(text, encoding);
      const fits =
        encoding === 'utf8'
          ? whole(encoded, room)
          : encoded.subarray(0, encoding === 'utf16le' ? room - (room % 2) : room);
      bytes.set(fits, offset);
      return fits.length;
    };
  const decoded = (text: string, encoding: number): Bytes =>
    encode(text, ENCODINGS[encoding] ?? 'utf8');
  return {
    kMaxLength: 2 ** 53 - 1,
    kStringMaxLength: 2 ** 29 - 24,
    setBufferPrototype: () => undefined,
    setDetachKey: () => undefined,
    createUnsafeArrayBuffer: (size: number) => new ArrayBuffer(size),
    getZeroFillToggle: () => undefined,
    byteLengthUtf8: byteLength,
    asciiSlice: (view: View, start = 0, end = Number.MAX_SAFE_INTEGER) =>
      decode(
        bytesOf(view)
          .subarray(start, Math.max(start, end))
          .map((byte) => byte & 0x7f),
        'latin1',
      ),
    base64Slice: slice('base64'),
    base64urlSlice: slice('base64url'),
    latin1Slice: slice('latin1'),
    hexSlice: slice('hex'),
    ucs2Slice: slice('utf16le'),
    utf8Slice: slice('utf8'),
    base64Write: write('base64'),
    base64urlWrite: write('base64url'),
    hexWrite: write('hex'),
    ucs2Write: write('utf16le'),
    asciiWriteStatic: write('latin1'),
    latin1WriteStatic: write('latin1'),
    utf8WriteStatic: write('utf8'),
    utf8Write: write('utf8'),
    compare: (a: View, b: View) => compare(bytesOf(a), bytesOf(b)),
    compareOffset: (
      source: View,
      target: View,
      targetStart: number,
      sourceStart: number,
      targetEnd: number,
      sourceEnd: number,
    ) =>
      compare(
        bytesOf(source).subarray(sourceStart, sourceEnd),
        bytesOf(target).subarray(targetStart, targetEnd),
      ),
    copy(source: View, target: View, targetStart: number, sourceStart: number, length: number) {
      bytesOf(target).set(bytesOf(source).subarray(sourceStart, sourceStart + length), targetStart);
      return length;
    },
    fill(view: View, value: unknown, start: number, end: number, encoding: string) {
      const bytes = bytesOf(view);
      if (start > end || end > bytes.length) return -2;
      const pattern =
        typeof value === 'string'
          ? encode(value, encoding ?? 'utf8')
          : typeof value === 'number' || typeof value === 'boolean'
            ? new Uint8Array([Number(value)])
            : bytesOf(value as View);
      if (pattern.length === 0) return -1;
      for (let at = start; at < end; at += pattern.length)
        bytes.set(pattern.subarray(0, Math.min(pattern.length, end - at)), at);
      return undefined;
    },
    indexOfString: (
      view: View,
      text: string,
      offset: number,
      encoding: number,
      isForward: boolean,
      end?: number,
    ) =>
      indexOf(
        bytesOf(view).subarray(0, end),
        decoded(text, encoding),
        offset,
        isForward,
        encoding === 3 ? 2 : 1,
      ),
    indexOfBuffer: (
      view: View,
      part: View,
      offset: number,
      encoding: number,
      isForward: boolean,
      end?: number,
    ) =>
      indexOf(
        bytesOf(view).subarray(0, end),
        bytesOf(part),
        offset,
        isForward,
        encoding === 3 ? 2 : 1,
      ),
    indexOfNumber: (view: View, value: number, offset: number, isForward: boolean, end?: number) =>
      indexOf(bytesOf(view).subarray(0, end), new Uint8Array([value]), offset, isForward),
    swap16: (view: View) => swap(view, 2),
    swap32: (view: View) => swap(view, 4),
    swap64: (view: View) => swap(view, 8),
    isAscii: (view: View) => bytesOf(view).every((byte) => byte < 0x80),
    isUtf8: (view: View) => host('isUtf8', bytesOf(view)),
    atob: (text: string) => host('atob', text),
    btoa: (text: string) => host('btoa', text),
  };
}

/** The bytes at the end that begin a character and do not finish it. */
function unfinished(bytes: Bytes, encoding: string): number {
  const { length } = bytes;
  if (encoding === 'utf16le') {
    const odd = length % 2;
    const high = bytes[length - 1 - odd] ?? 0;
    return length - odd >= 2 && high >= 0xd8 && high <= 0xdb ? 2 + odd : odd;
  }
  if (encoding === 'base64' || encoding === 'base64url') return length % 3;
  if (encoding !== 'utf8') return 0;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return needed > back && byte < 0xf5 ? back : 0;
  }
  return 0;
}

/** The state is a buffer of the library's: beside its first bytes, which are the kept ones, it has numbers. */
function stringDecoderBinding(host: CallHost): object {
  const { decode } = coder(host);
  const MISSING = 4;
  const BUFFERED = 5;
  const ENCODING = 6;
  const encodingOf = (state: Bytes): string => ENCODINGS[state[ENCODING] ?? 1] ?? 'utf8';
  return {
    encodings: ENCODINGS,
    kIncompleteCharactersStart: 0,
    kIncompleteCharactersEnd: 4,
    kMissingBytes: MISSING,
    kBufferedBytes: BUFFERED,
    kEncodingField: ENCODING,
    kNumFields: 7,
    kSize: 7,
    decode(state: Bytes, view: View) {
      const encoding = encodingOf(state);
      const given = bytesOf(view);
      const kept = state.subarray(0, state[BUFFERED]);
      const all = new Uint8Array(kept.length + given.length);
      all.set(kept);
      all.set(given, kept.length);
      const rest = unfinished(all, encoding);
      state.set(all.subarray(all.length - rest), 0);
      state[BUFFERED] = rest;
      return decode(all.subarray(0, all.length - rest), encoding === 'ascii' ? 'latin1' : encoding);
    },
    flush(state: Bytes) {
      const kept = state.slice(0, state[BUFFERED]);
      state[BUFFERED] = 0;
      const encoding = encodingOf(state);
      return decode(encoding === 'utf16le' ? kept.subarray(0, kept.length & ~1) : kept, encoding);
    },
  };
}

function encodingBinding(host: CallHost): object {
  const { encode, decode } = coder(host);
  const encodeIntoResults = new Uint32Array(2);
  return {
    encodeIntoResults,
    encodeUtf8String: (text: string) => encode(text, 'utf8'),
    encodeInto(text: string, target: Bytes) {
      let read = 0;
      let written = 0;
      for (const character of text) {
        const bytes = encode(character, 'utf8');
        if (written + bytes.length > target.length) break;
        target.set(bytes, written);
        written += bytes.length;
        read += character.length;
      }
      encodeIntoResults[0] = read;
      encodeIntoResults[1] = written;
    },
    decodeUTF8: (view: View, keepsMark: boolean, isFatal: boolean) =>
      host('decodeText', bytesOf(view), 'utf-8', isFatal, keepsMark),
    toASCII: (name: string) => host('domainToASCII', name),
    toUnicode: (name: string) => host('domainToUnicode', name),
    decodeLatin1: (view: View) => decode(bytesOf(view), 'latin1'),
    decode: (view: View, encoding: string) => decode(bytesOf(view), encoding),
  };
}

/** Decoders with state: what was not finished is decoded again with what follows. */
function icuBinding(host: CallHost): object {
  const FLUSH = 1;
  const FATAL = 2;
  const KEEPS_MARK = 4;
  return {
    icuErrName: (code: number) => `U_${code}`,
    hasConverter: (label: string) => host('knowsEncoding', label),
    getConverter: (encoding: string, flags: number) => ({ encoding, flags, kept: [] as Bytes[] }),
    decode(
      handle: { encoding: string; flags: number; kept: Bytes[]; shown?: number },
      view: View,
      flags: number,
    ) {
      handle.kept.push(bytesOf(view).slice());
      const all = new Uint8Array(handle.kept.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const part of handle.kept) {
        all.set(part, at);
        at += part.length;
      }
      const isLast = (flags & FLUSH) !== 0;
      const isFatal = (handle.flags & FATAL) !== 0;
      const keepsMark = (handle.flags & KEEPS_MARK) !== 0;
      const text = host('decodeText', all, handle.encoding, isFatal, keepsMark, !isLast) as string;
      const fresh = text.slice(handle.shown ?? 0);
      handle.shown = isLast ? 0 : text.length;
      if (isLast) handle.kept = [];
      return fresh;
    },
    transcode: (view: View, from: string, to: string) =>
      host('encode', host('decode', bytesOf(view), from), to),
    getStringWidth: (text: string) => text.length,
  };
}

function urlBinding(host: CallHost): object {
  const urlComponents = new Uint32Array(9);
  const take = (parsed: unknown): string | undefined => {
    if (parsed === null) return undefined;
    const { href, parts } = parsed as { href: string; parts: number[] };
    urlComponents.set(parts);
    return href;
  };
  return {
    urlComponents,
    parse(input: string, base: string | undefined, isRaised: boolean) {
      const href = take(host('parseUrl', input, base));
      if (href === undefined && isRaised) {
        const error = new TypeError('Invalid URL') as TypeError & Record<string, unknown>;
        error['code'] = 'ERR_INVALID_URL';
        error['input'] = input;
        if (base !== undefined) error['base'] = base;
        throw error;
      }
      return href;
    },
    canParse: (input: string, base?: string) => host('parseUrl', input, base) !== null,
    update: (href: string, part: number, value: string) =>
      take(host('updateUrl', href, part, value)) ?? false,
    pathToFileURL: (path: string) => take(host('pathToFileUrl', path)),
    getOrigin: (href: string) => host('originOf', href),
    domainToASCII: (name: string) => host('domainToASCII', name),
    domainToUnicode: (name: string) => host('domainToUnicode', name),
    format: (href: string, hash: boolean, unicode: boolean, search: boolean, auth: boolean) =>
      host('formatUrl', href, hash, unicode, search, auth),
  };
}

/** All of them, by their names. */
export function textBindings({ host }: Guest): Bindings {
  return {
    buffer: () => bufferBinding(host),
    string_decoder: () => stringDecoderBinding(host),
    encoding_binding: () => encodingBinding(host),
    icu: () => icuBinding(host),
    url: () => urlBinding(host),
  };
}
