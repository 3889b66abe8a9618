import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { fileShims } from './index.ts';

/** An ELF file for any address, with these entries in its dynamic section: tags, and what they say. */
function shared(...entries: readonly (readonly [tag: number, says: number])[]): Buffer {
  const at = 120;
  const bytes = Buffer.alloc(at + 16 * entries.length);
  bytes.write('\x7fELF\x02\x01\x01', 'latin1');
  for (const [place, value] of [
    ...[[16, 3] as const, [18, 62] as const, [20, 1] as const, [32, 64] as const],
    ...[[52, 64] as const, [54, 56] as const, [56, 1] as const],
    // Its one segment.
    ...[[64, 2] as const, [72, at] as const, [96, 16 * entries.length] as const],
  ])
    bytes.writeUInt16LE(value, place);
  for (const [index, [tag, says]] of entries.entries()) {
    bytes.writeUInt32LE(tag, at + 16 * index);
    bytes.writeUInt32LE(says, at + 16 * index + 8);
  }
  return bytes;
}
/** Tags of such an entry, and what the second may say of a program. */
const [FLAGS, FLAGS_1, PIE] = [30, 0x6ffffffb, 0x08000000];

const files = {
  bin: '\x00\x01\x02\x03',
  txt: 'hello\n',
  'j.json': '{"a":1}\n',
  esc: '\x1b[1mbold\x1b[0m\n',
  empty: '',
  del: 'abc\x7f\x01\n',
  utf: 'h\u00e9\n',
  latin: Buffer.from('h\xe9\n', 'latin1'),
  utf16: Buffer.from('\xff\xfeh\0i\0', 'latin1'),
  crlf: 'a\r\nb\n',
  cr: 'a\rb\r',
  long: 'ab'.repeat(200),
  open: 'ab',
  over: 'a\b\n',
  csv: 'a,"b,c"\n1,2\n3,4\n',
  sh: '#!/bin/sh -e\n',
  env: '#!/usr/bin/env python3\nx\n',
  awk: '#!/usr/bin/awk -f\n',
  xml: '<?xml version="1.0"?>\n<a/>\n',
  html: '<!DOCTYPE html>\n',
  svg: '<svg xmlns="x"/>\n',
  php: '<?php echo 1;\n',
  diff: 'diff --git a/x b/x\n--- a/x\n+++ b/x\n',
  unified: '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n',
  json: '[1, {"a": null}]\n',
  nojson: '[1, {"a": \n',
  c: 'int x;\n#include <stdio.h>\n',
  pem: '-----BEGIN CERTIFICATE-----\nMII\n',
  gif: Buffer.from('GIF89a\x20\0\x10\0\xf7\0\0', 'latin1'),
  png: Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x20\x08\x06\0\0\x01', 'latin1'),
  class: Buffer.from('\xca\xfe\xba\xbe\0\0\0\x35\0\x0d', 'latin1'),
  universal: Buffer.from(
    `\xca\xfe\xba\xbe\0\0\0\x01\x01\0\0\x07\0\0\0\x03${'\0'.repeat(20)}`,
    'latin1',
  ),
  mach: Buffer.from(`\xcf\xfa\xed\xfe\x07\0\0\x01\x03\0\0\0\x02\0\0\0${'\0'.repeat(16)}`, 'latin1'),
  dex: Buffer.from(`dex\n035\0${'\x01\0'.repeat(40)}`, 'latin1'),
  elf: Buffer.from(
    `\x7fELF\x02\x01\x01${'\0'.repeat(9)}\x02\0\x3e\0\x01${'\0'.repeat(43)}`,
    'latin1',
  ),
  pie: shared([FLAGS, 8], [FLAGS_1, PIE + 1]),
  library: shared([FLAGS, PIE], [FLAGS_1, 1]),
  badelf: Buffer.from('\x7fELF\x00000000', 'latin1'),
  cpio: '0707010334474500',
  seven: Buffer.from('7z\xbc\xaf\x27\x1c\0\x04abcd', 'latin1'),
  pdf: '%PDF-1.4\n',
  wasm: Buffer.from('\0asm\x01\0\0\0', 'latin1'),
};

gnuSuite(['file'], [fileShims], files, [
  'file bin; file txt; file j.json; file empty; file del',
  'file -b bin; file -b txt; file -b j.json',
  'file --mime-type bin; file --mime-type txt',
  'ln -s txt l; ln -s none broken; mkdir d; file l broken d none; echo $?; file -L l broken; file -h l; file -i l d none empty; file -E none; echo $?',
  'file -b --mime-encoding txt bin utf latin; file -i utf latin utf16 crlf; file utf latin utf16 crlf cr long open over csv',
  'file - < txt; cat bin | file -; file txt - < bin; file /dev/null /dev/zero; file -F= txt; file -0 txt; file -N txt bin; printf "txt\\nbin\\n" | file -f -',
  'for i in sh env awk xml html svg php diff unified json nojson c pem; do file $i; file -bi $i; done',
  'for i in gif png class universal mach dex elf badelf cpio seven pdf wasm; do file -b $i; file -b --mime-type $i; done',
  'for i in pie library; do file -b $i | cut -d, -f1; file -b --mime-type $i; done',
  'file bin txt',
  'gzip -n < txt > t.gz; file t.gz; file -b t.gz; file --mime-type t.gz; file t.gz txt',
]);

test('archives are told by what made them', async () => {
  const world = await inProcessWorld({
    roots: ['/w'],
    files: { '/w/f': 'aaaaaaaaaa\n' },
    cwd: '/w',
  });
  const { stdout } = await world.run(
    'tar cf t f; zip -q z f; xz -k f; bzip2 -k f; file -b t z.zip f.xz f.bz2; sqlite3 db "create table t (a)"; file -b --mime-type db t z.zip',
  );
  expect(stdout).toBe(
    [
      'POSIX tar archive (GNU)',
      'Zip archive data, at least v2.0 to extract, compression method=deflate',
      'XZ compressed data, checksum CRC32',
      'bzip2 compressed data, block size = 900k',
      'application/vnd.sqlite3',
      'application/x-tar',
      'application/zip',
      '',
    ].join('\n'),
  );
});
