import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { lsShims } from '../ls/index.ts';
import { gunzip } from '../support/compression.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { gzipShims } from './index.ts';

const files = { f: 'hello hello hello hello hello\n', g: 'second\n', 'd/x': 'x\n', e: '' };

gnuSuite(['gzip', 'gunzip', 'zcat'], [gzipShims, lsShims], files, [
  'gzip f; ls; gunzip f.gz; cat f; ls',
  'gzip -k f; ls',
  'gzip -c f | gzip -dc',
  'gzip < f | zcat',
  'gzip f g; zcat f g; zcat f.gz g.gz',
  'gzip f; gunzip f; ls',
  'gzip f; gzip f.gz 2>/dev/null; echo $?',
  'gzip d 2>/dev/null; echo $?',
  'gzip -r d; ls d',
  'gzip missing 2>/dev/null; echo $?',
  'gunzip missing 2>/dev/null; echo $?',
  'gunzip f 2>/dev/null; echo $?',
  'zcat f 2>/dev/null; echo $?',
  'zcat -f f',
  'gzip -kf f; echo $?; gzip -kf f; echo $?',
  'gzip -S .z f; ls; gunzip -S .z f.z; ls',
  'gzip f; mv f.gz h.gz; gunzip -N h.gz; ls',
  'gzip f; mv f.gz h.tgz; gunzip h.tgz; ls',
  'gzip -t f 2>/dev/null; echo $?; gzip f; gzip -t f.gz; echo $?',
  'gzip -c f > a; gzip -c g >> a; mv a a.gz; zcat a.gz',
  'gzip -v f 2>&1',
  'gzip -9v f 2>&1; gunzip -v f.gz 2>&1',
  'gzip f; gzip -l f.gz',
  'gzip e; gzip -l e.gz; zcat e.gz',
  'gzip -c f | head -c 20 > t.gz; gunzip t.gz 2>/dev/null; echo $?; ls',
  'echo plain | gunzip 2>/dev/null; echo $?',
  'chmod 755 f; gzip f; ls -l f.gz | cut -c1-10; gunzip f.gz; ls -l f | cut -c1-10',
  'ln -s f l; gzip l 2>/dev/null; echo $?; ls',
]);

test('what unpacks to more than the limit is refused', () => {
  expect(() => gunzip(gzipSync(Buffer.alloc(2000)), 1000)).toThrow('larger than 1000 bytes');
});
