import { describe, expect, test } from 'vitest';
import { zip } from '../../../test/documents/make.ts';
import { pack } from '../../zip.ts';
import { part, relationsOf } from './office.ts';
import { childOf, elementsBelow, elementsIn, parseXml, textIn } from './xml.ts';
import { DocumentArchive } from './zip.ts';

const MIB = 1024 * 1024;

/** Says that each of its files is so large. */
function lying(archive: Buffer, ...sizes: readonly number[]): Buffer {
  const copy = Buffer.from(archive);
  let at = 0;
  for (const size of sizes) {
    at = copy.indexOf('PK\x01\x02', at, 'latin1');
    copy.writeUInt32LE(size, at + 24);
    at += 4;
  }
  return copy;
}

/** Lists its one file so often. */
function crowded(times: number): Buffer {
  const archive = zip({ a: 'a' });
  const [start, end] = ['PK\x01\x02', 'PK\x05\x06'].map((mark) =>
    archive.indexOf(mark, 0, 'latin1'),
  );
  const last = Buffer.from(archive.subarray(end));
  for (const at of [8, 10]) last.writeUInt16LE(times, at);
  const listed = Array<Buffer>(times).fill(archive.subarray(start, end));
  return Buffer.concat([archive.subarray(0, start), ...listed, last]);
}

describe('an archive', () => {
  test('has its files by their names, as text and as bytes', () => {
    const archive = new DocumentArchive(zip({ a: 'ä', 'd/b': Buffer.from([1, 2]) }));
    expect(archive.names).toEqual(['a', 'd/b']);
    expect([archive.text('a'), archive.text('b')]).toEqual(['ä', null]);
    expect(archive.bytes('d/b')).toEqual(Buffer.from([1, 2]));
    expect(archive.bytes('b')).toBeNull();
  });

  test('has texts of the encoding that their mark tells', () => {
    const text = Buffer.from('\ufeffä', 'utf16le');
    const archive = new DocumentArchive(
      zip({
        little: text,
        big: Buffer.from(text).swap16(),
        small: Buffer.from('\ufeffä'),
        ff: Buffer.from([0xff, 0x41]),
        fe: Buffer.from([0xfe, 0x41]),
      }),
    );
    expect(['little', 'big', 'small', 'ff', 'fe'].map((name) => archive.text(name))).toEqual([
      'ä',
      'ä',
      'ä',
      '\ufffdA',
      '\ufffdA',
    ]);
  });

  test('of more than 20,000 files is none', () => {
    expect(() => new DocumentArchive(crowded(20_000))).not.toThrow();
    expect(() => new DocumentArchive(crowded(20_001))).toThrow('more than 20000 files');
  });

  test('unpacks to 256 MiB at most, by its own account', () => {
    const archive = zip({ a: 'a', b: 'b' });
    expect(() => new DocumentArchive(lying(archive, 200 * MIB, 56 * MIB))).not.toThrow();
    expect(() => new DocumentArchive(lying(archive, 200 * MIB, 56 * MIB + 1))).toThrow(
      'would unpack to more than 256 MiB',
    );
  });

  test('unpacks to 256 MiB at most, all its files together', () => {
    const member = { name: 'large', data: Buffer.alloc(130 * MIB), date: new Date(0), mode: 0o644 };
    const archive = new DocumentArchive(lying(pack([member], 1), 100));
    expect(() => [archive.bytes('large'), archive.bytes('large')]).toThrow(
      'would unpack to more than 256 MiB',
    );
  });

  test.each([
    ['what Office encrypts', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /^is encrypted/],
    ['nothing', Buffer.alloc(0), /^is no whole zip archive: /],
    ['half of one', zip({ a: 'text' }).subarray(0, 40), /^is no whole zip archive: /],
    [
      'one whose files lie elsewhere',
      zip({ a: 'text' }).fill(0xff, 18, 30),
      /^is no whole zip archive: |^$/,
    ],
  ])('is not %s', (_, bytes, message) => {
    expect(() => new DocumentArchive(bytes).bytes('a')).toThrow(message);
  });
});

test('the relations of a part are beside it; their targets are names in the archive', () => {
  const archive = new DocumentArchive(
    zip({
      'a/b/c.xml': '<x>text</x>',
      'a/b/_rels/c.xml.rels':
        '<R><Relationship Id="1" Type="t" Target="d.xml"/><Relationship Id="2" Type="t" Target="../e.xml"/><Relationship Id="3" Type="t" Target="/f.xml"/><Relationship Id="4" Type="t" Target="../../../../g.xml"/><Relationship Id="5" Type="t" Target="http://h" TargetMode="External"/><Relationship Id="6" Type="t" Target="i.xml" TargetMode="Internal"/><Other Id="7"/><Relationship/></R>',
    }),
  );
  expect([...relationsOf(archive, 'a/b/c.xml')]).toEqual([
    ['1', { type: 't', target: 'a/b/d.xml' }],
    ['2', { type: 't', target: 'a/e.xml' }],
    ['3', { type: 't', target: 'f.xml' }],
    ['4', { type: 't', target: 'g.xml' }],
    ['6', { type: 't', target: 'a/b/i.xml' }],
    ['', { type: '', target: 'a/b' }],
  ]);
  expect(relationsOf(archive, 'none.xml').size).toBe(0);
  expect([part(archive, 'a/b/c.xml')?.name, part(archive, 'none.xml')]).toEqual(['x', null]);
});

describe('XML', () => {
  test('is a tree of names without prefixes; an attribute r:id is no id', () => {
    expect(
      parseXml(
        '\ufeff<?xml version="1.0"?><a:b c:d="1" id="2" r:id="3">x<e/><![CDATA[<y>]]></a:b>',
      ),
    ).toEqual({
      name: 'b',
      attributes: { d: '1', id: '2', 'r:id': '3' },
      children: ['x', { name: 'e', attributes: {}, children: [] }, '<y>'],
    });
    expect(Object.getPrototypeOf(parseXml('<a/>').attributes)).toBeNull();
  });

  test.each([
    ['not well-formed', '<a><b></a>', /^has XML that is not well-formed: \S/],
    ['nothing', ' ', /without an element|not well-formed/],
    ['with entities of its own', '<!DOCTYPE a [<!ENTITY x "y">]><a/>', /entities of its own/],
  ])('%s is refused', (_, text, message) => {
    expect(() => parseXml(text)).toThrow(message);
  });

  test('may declare a type, and the five entities are read', () => {
    expect(textIn(parseXml('<!DOCTYPE a SYSTEM "a.dtd"><a>&lt;&amp;&#228;</a>'))).toBe('<&ä');
  });

  test('is 400 elements deep at most', () => {
    const deep = (levels: number): string => '<a>'.repeat(levels) + '</a>'.repeat(levels);
    expect(parseXml(deep(400)).name).toBe('a');
    expect(() => parseXml(deep(401))).toThrow('nests elements deeper than 400');
  });

  test('is gone through by names: directly in an element, the first one, anywhere below', () => {
    const root = parseXml('<r>s<a n="1"><a n="2"/>t</a><b><a n="3"/></b><a n="4">u</a></r>');
    const numbers = (elements: Iterable<{ attributes: Readonly<Record<string, string>> }>) =>
      [...elements].map(({ attributes }) => attributes['n']);
    expect(numbers(elementsIn(root, 'a'))).toEqual(['1', '4']);
    expect([...elementsIn(root)].map(({ name }) => name)).toEqual(['a', 'b', 'a']);
    expect(numbers(elementsBelow(root, 'a'))).toEqual(['1', '3', '4']);
    expect([childOf(root, 'b')?.name, childOf(root, 'c'), childOf(null, 'b')]).toEqual([
      'b',
      undefined,
      undefined,
    ]);
    expect([textIn(root), textIn(undefined)]).toEqual(['stu', '']);
  });
});
