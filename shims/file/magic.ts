/** What a file's first bytes tell of it, in the words of file(1). */
import { elf } from './elf.ts';
import { gzip } from './gzip.ts';
import type { Kind } from './kind.ts';

/** Looks at a file's content; undefined where it is something else. */
type Recogniser = (bytes: Buffer) => Kind | undefined;

const begins = (bytes: Buffer, magic: string, at = 0): boolean =>
  bytes.toString('latin1', at, at + magic.length) === magic;

/** A number of so many bytes, or 0 where the file ends before it. */
function uint(bytes: Buffer, at: number, size: 1 | 2 | 4, little = false): number {
  if (bytes.length < at + size) return 0;
  return little ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
}

/** Formats of which the first bytes say all. */
const PLAIN: ReadonlyArray<readonly [magic: string, text: string, mime: string]> = [
  ['\x04\x22\x4d\x18', 'LZ4 compressed data (v1.4+)', 'application/x-lz4'],
  [
    '!<arch>\ndebian',
    'Debian binary package (format 2.0)',
    'application/vnd.debian.binary-package',
  ],
  ['!<arch>', 'current ar archive', 'application/x-archive'],
  ['070707', 'ASCII cpio archive (pre-SVR4 or odc)', 'application/x-cpio'],
  ['070701', 'ASCII cpio archive (SVR4 with no CRC)', 'application/x-cpio'],
  ['070702', 'ASCII cpio archive (SVR4 with CRC)', 'application/x-cpio'],
  ['OggS', 'Ogg data', 'application/ogg'],
];

function gif(bytes: Buffer): Kind | undefined {
  if (!begins(bytes, 'GIF8')) return;
  const size = `${uint(bytes, 6, 2, true)} x ${uint(bytes, 8, 2, true)}`;
  const version = bytes.toString('latin1', 3, 6);
  return { text: `GIF image data, version ${version}, ${size}`, mime: 'image/gif' };
}

const PNG_COLOURS: Readonly<Record<number, string>> = {
  0: ' grayscale',
  2: '/color RGB',
  3: ' colormap',
  4: ' gray+alpha',
  6: '/color RGBA',
};

function png(bytes: Buffer): Kind | undefined {
  if (!begins(bytes, '\x89PNG\r\n\x1a\n')) return;
  const mime = 'image/png';
  if (!begins(bytes, 'IHDR', 12)) return { text: 'PNG image data', mime };
  const size = `${uint(bytes, 16, 4)} x ${uint(bytes, 20, 4)}`;
  const depth = `${uint(bytes, 24, 1)}-bit${PNG_COLOURS[uint(bytes, 25, 1)] ?? ''}`;
  const lines = uint(bytes, 28, 1) === 0 ? 'non-interlaced' : 'interlaced';
  return { text: `PNG image data, ${size}, ${depth}, ${lines}`, mime };
}

function bzip2(bytes: Buffer): Kind | undefined {
  if (!begins(bytes, 'BZh')) return;
  const level = bytes.toString('latin1', 3, 4);
  return { text: `bzip2 compressed data, block size = ${level}00k`, mime: 'application/x-bzip2' };
}

const ZIP_METHODS: Readonly<Record<number, string>> = { 0: 'store', 8: 'deflate', 12: 'bzip2' };

function zip(bytes: Buffer): Kind | undefined {
  const mime = 'application/zip';
  if (begins(bytes, 'PK\x05\x06')) return { text: 'Zip archive data (empty)', mime };
  if (!begins(bytes, 'PK\x03\x04') || bytes.length < 30) return;
  // Packages say what they are in their first member.
  const name = bytes.toString('latin1', 30, 30 + uint(bytes, 26, 2, true));
  if (name === 'mimetype' && uint(bytes, 8, 2, true) === 0) return;
  if (name === '[Content_Types].xml' || name === '_rels/.rels') return;
  const least = uint(bytes, 4, 1);
  const version = `v${Math.floor(least / 10)}.${least % 10}`;
  const method = ZIP_METHODS[uint(bytes, 8, 2, true)];
  const how = method === undefined ? '' : `, compression method=${method}`;
  return { text: `Zip archive data, at least ${version} to extract${how}`, mime };
}

function sevenZip(bytes: Buffer): Kind | undefined {
  if (!begins(bytes, '7z\xbc\xaf\x27\x1c')) return;
  const version = `${uint(bytes, 6, 1)}.${uint(bytes, 7, 1)}`;
  return { text: `7-zip archive data, version ${version}`, mime: 'application/x-7z-compressed' };
}

const XZ_CHECKS: Readonly<Record<number, string>> = {
  0: 'NONE',
  1: 'CRC32',
  4: 'CRC64',
  10: 'SHA-256',
};

function xz(bytes: Buffer): Kind | undefined {
  if (!begins(bytes, '\xfd7zXZ\0')) return;
  const check = XZ_CHECKS[uint(bytes, 7, 1)];
  const how = check === undefined ? '' : `, checksum ${check}`;
  return { text: `XZ compressed data${how}`, mime: 'application/x-xz' };
}

function tar(bytes: Buffer): Kind | undefined {
  const mime = 'application/x-tar';
  if (begins(bytes, 'ustar  \0', 257)) return { text: 'POSIX tar archive (GNU)', mime };
  if (begins(bytes, 'ustar\0', 257)) return { text: 'POSIX tar archive', mime };
  return;
}

function zstd(bytes: Buffer): Kind | undefined {
  if (!begins(bytes, '\x28\xb5\x2f\xfd')) return;
  const none = (uint(bytes, 4, 1) & 3) === 0;
  const text = `Zstandard compressed data (v0.8+)${none ? ', Dictionary ID: None' : ''}`;
  return { text, mime: 'application/zstd' };
}

/** Architectures of a Mach-O file by their number. */
const MACH: Readonly<Record<number, string>> = {
  7: 'i386',
  12: 'arm',
  18: 'ppc',
  16777223: 'x86_64',
  16777228: 'arm64',
  16777234: 'ppc64',
};
/** Formats of Java have versions from here on; a smaller number counts architectures. */
const LEAST_CLASS = 45;

/** One number begins the classes of Java and the programs of Apple for several processors. */
function cafebabe(bytes: Buffer): Kind | undefined {
  if (uint(bytes, 0, 4) !== 0xcafebabe) return;
  const count = uint(bytes, 4, 4);
  if (count < LEAST_CLASS) {
    const names = Array.from({ length: count }, (_none, index) => {
      return `[${MACH[uint(bytes, 8 + 20 * index, 4)] ?? 'unknown'}]`;
    });
    const plural = count === 1 ? '' : 's';
    return {
      text: `Mach-O universal binary with ${count} architecture${plural}: ${names.join(' ')}`,
      mime: 'application/x-mach-binary',
    };
  }
  const [minor, major] = [uint(bytes, 4, 2), uint(bytes, 6, 2)];
  const java = major > 52 ? `SE ${major - 44}` : `1.${major - 44}`;
  return {
    text: `compiled Java class data, version ${major}.${minor} (Java ${java})`,
    mime: 'application/x-java-applet',
  };
}

const MACH_TYPES: Readonly<Record<number, string>> = {
  1: 'object',
  2: 'executable',
  6: 'dynamically linked shared library',
  8: 'bundle',
};

function machO(bytes: Buffer): Kind | undefined {
  const wide = begins(bytes, '\xcf\xfa\xed\xfe');
  if (!wide && !begins(bytes, '\xce\xfa\xed\xfe')) return;
  const machine = MACH[uint(bytes, 4, 4, true)] ?? 'unknown';
  const type = MACH_TYPES[uint(bytes, 12, 4, true)] ?? 'file';
  return {
    text: `Mach-O${wide ? ' 64-bit' : ''} ${machine} ${type}`,
    mime: 'application/x-mach-binary',
  };
}

function dex(bytes: Buffer): Kind | undefined {
  if (!/^dex\n\d\d\d\0/.test(bytes.toString('latin1', 0, 8))) return;
  const version = bytes.toString('latin1', 4, 7);
  return { text: `Dalvik dex file version ${version}`, mime: 'application/octet-stream' };
}

function pdf(bytes: Buffer): Kind | undefined {
  const [, version] = /^%PDF-(\d\.\d)/.exec(bytes.toString('latin1', 0, 16)) ?? [];
  if (version === undefined) return;
  return { text: `PDF document, version ${version}`, mime: 'application/pdf' };
}

const ENCODINGS: Readonly<Record<number, string>> = {
  1: 'UTF-8',
  2: 'UTF-16 little endian',
  3: 'UTF-16 big endian',
};

function sqlite(bytes: Buffer): Kind | undefined {
  if (!begins(bytes, 'SQLite format 3\0') || bytes.length < 100) return;
  const at = (offset: number): number => uint(bytes, offset, 4);
  const facts = [
    `last written using SQLite version ${at(96)}`,
    `file counter ${at(24)}`,
    `database pages ${at(28)}`,
    `cookie 0x${at(40).toString(16)}`,
    `schema ${at(44)}`,
    ENCODINGS[at(56)] ?? 'unknown encoding',
    `version-valid-for ${at(92)}`,
  ];
  return { text: `SQLite 3.x database, ${facts.join(', ')}`, mime: 'application/vnd.sqlite3' };
}

function wasm(bytes: Buffer): Kind | undefined {
  if (!begins(bytes, '\0asm')) return;
  const version = uint(bytes, 4, 4, true);
  return {
    text: `WebAssembly (wasm) binary module version 0x${version.toString(16)}${version === 1 ? ' (MVP)' : ''}`,
    mime: 'application/wasm',
  };
}

function plain(bytes: Buffer): Kind | undefined {
  const found = PLAIN.find(([magic]) => begins(bytes, magic));
  return found === undefined ? undefined : { text: found[1], mime: found[2] };
}

const RECOGNISERS: readonly Recogniser[] = [
  ...[gif, png, gzip, bzip2, zip, sevenZip, xz, tar, zstd, elf, cafebabe, machO, dex, pdf, sqlite],
  ...[wasm, plain],
];

/** What the bytes are, if their format is one of these. */
export function recognise(bytes: Buffer): Kind | undefined {
  for (const one of RECOGNISERS) {
    const kind = one(bytes);
    if (kind !== undefined) return kind;
  }
  return undefined;
}
