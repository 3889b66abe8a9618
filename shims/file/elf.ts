/** What file(1) says of an ELF file, from its header and its segments. */
import type { Kind } from './kind.ts';

const TYPES: Readonly<Record<number, readonly [text: string, mime: string]>> = {
  1: ['relocatable', 'application/x-object'],
  2: ['executable', 'application/x-executable'],
  3: ['shared object', 'application/x-sharedlib'],
  4: ['core file', 'application/x-coredump'],
};
const MACHINES: Readonly<Record<number, string>> = {
  3: 'Intel 80386',
  8: 'MIPS',
  20: 'PowerPC or cisco 4500',
  21: '64-bit PowerPC or cisco 7500',
  22: 'IBM S/390',
  40: 'ARM',
  42: 'Renesas SH',
  62: 'x86-64',
  183: 'ARM aarch64',
  243: 'UCB RISC-V',
};
const SYSTEMS: Readonly<Record<number, string>> = { 0: 'SYSV', 3: 'GNU/Linux', 9: 'FreeBSD' };
const INTERPRETER = 3;
const DYNAMIC = 2;
/** Of a dynamic section: a library that is needed, flags, and that it is a program that can lie anywhere. */
const NEEDED = 1;
const FLAGS_1 = 0x6ffffffb;
const PIE = 0x08000000;

/** Numbers of a file in its own byte order and width; 0 where the file ends before. */
class Reader {
  readonly bytes: Buffer;
  readonly wide: boolean;
  readonly #little: boolean;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.wide = bytes[4] === 2;
    this.#little = bytes[5] !== 2;
  }

  uint(at: number, size: 2 | 4): number {
    if (at + size > this.bytes.length) return 0;
    return this.#little ? this.bytes.readUIntLE(at, size) : this.bytes.readUIntBE(at, size);
  }

  /** An address or an offset. */
  word(at: number): number {
    if (!this.wide) return this.uint(at, 4);
    const [low, high] = this.#little ? [at, at + 4] : [at + 4, at];
    return this.uint(high, 4) * 2 ** 32 + this.uint(low, 4);
  }
}

interface Segment {
  type: number;
  offset: number;
  size: number;
}

function segmentsOf(file: Reader): Segment[] {
  const [start, size, count] = file.wide
    ? [file.word(32), file.uint(54, 2), file.uint(56, 2)]
    : [file.word(28), file.uint(42, 2), file.uint(44, 2)];
  return Array.from({ length: count }, (_none, index) => {
    const at = start + index * size;
    const offset = file.word(at + (file.wide ? 8 : 4));
    return { type: file.uint(at, 4), offset, size: file.word(at + (file.wide ? 32 : 16)) };
  });
}

/** What the dynamic section says under a tag; undefined where it has none. */
function dynamicEntry(file: Reader, dynamic: Segment | undefined, tag: number): number | undefined {
  if (dynamic === undefined) return;
  const width = file.wide ? 8 : 4;
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 2 * width) {
    if (file.word(at) === tag) return file.word(at + width);
  }
  return;
}

function linkage(file: Reader, segments: readonly Segment[], dynamic: Segment | undefined): string {
  const interpreter = segments.find(({ type }) => type === INTERPRETER);
  if (interpreter !== undefined) {
    const { offset, size } = interpreter;
    return `dynamically linked, interpreter ${file.bytes.toString('latin1', offset, offset + size - 1)}`;
  }
  if (dynamic === undefined) return 'statically linked';
  const needs = dynamicEntry(file, dynamic, NEEDED) !== undefined;
  return `${needs ? 'dynamically' : 'static-pie'} linked`;
}

export function elf(bytes: Buffer): Kind | undefined {
  if (bytes.toString('latin1', 0, 4) !== '\x7fELF') return;
  const mime = 'application/octet-stream';
  const width = bytes[4] ?? 0;
  if (width === 0) return { text: 'ELF invalid class, unknown class 0', mime };
  if (width > 2) return { text: `ELF, unknown class ${width}`, mime };
  const file = new Reader(bytes);
  const kind = TYPES[file.uint(16, 2)];
  const head = `ELF ${file.wide ? 64 : 32}-bit ${bytes[5] === 2 ? 'MSB' : 'LSB'}`;
  if (kind === undefined) return { text: head, mime };
  const segments = segmentsOf(file);
  const dynamic = segments.find(({ type }) => type === DYNAMIC);
  const flags = dynamicEntry(file, dynamic, FLAGS_1) ?? 0;
  const pie = kind[0] === 'shared object' && (flags & PIE) !== 0;
  const facts = [
    `${head} ${pie ? 'pie executable' : kind[0]}`,
    MACHINES[file.uint(18, 2)] ?? 'unknown arch',
    `version ${file.uint(20, 4)} (${SYSTEMS[bytes[7] ?? 0] ?? 'unknown'})`,
    ...(segments.length === 0 ? [] : [linkage(file, segments, dynamic)]),
  ];
  return { text: facts.join(', '), mime: pie ? 'application/x-pie-executable' : kind[1] };
}
