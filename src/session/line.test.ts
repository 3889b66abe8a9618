/** Lines of the log: what a record becomes, and what is wrong with one. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeLine, encodeLine, faultOfEntry, isHeader, sha256 } from './line.ts';

const ENTRY = { id: '01A', parentId: null, timestamp: 't', type: 'message', prev: 'p', text: 'é' };

const bytesOf = (line: string): Buffer => Buffer.from(line.replace(/\n$/, ''));

test('a record comes back from its line, with the hash of the bytes before it', () => {
  const { line, hash } = encodeLine(ENTRY);
  expect(hash).toBe(sha256(JSON.stringify(ENTRY)));
  expect(line).toBe(`${JSON.stringify(ENTRY).slice(0, -1)},"hash":"${hash}"}\n`);
  const bytes = bytesOf(line);
  expect(decodeLine(bytes)).toEqual({ record: { ...ENTRY, hash }, hash });
  // What was read is as it was.
  expect(String(bytes)).toBe(line.trimEnd());
});

test('whatever byte is changed, the line is no record, and its id is told where it can be read', () => {
  const { line, hash } = encodeLine(ENTRY);
  fc.assert(
    fc.property(fc.nat(bytesOf(line).length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const bytes = bytesOf(line);
      bytes[at] = (bytes[at] ?? 0) ^ mask;
      const found = decodeLine(bytes);
      expect(found).toHaveProperty('fault');
      if ('fault' in found && at > 20 && at < bytes.length - 75)
        expect(found).toMatchObject({
          fault: 'its bytes are not those that its hash was made of',
          claimed: hash,
          id: '01A',
        });
    }),
  );
});

test('what is too short, ends otherwise, or is no JSON is told apart', () => {
  const told = (line: string) => decodeLine(Buffer.from(line));
  const none = { claimed: null, computed: null };
  expect(told('')).toEqual({ fault: 'it is too short for an entry', ...none, id: null });
  expect(told(`{"id":"01B"${' '.repeat(64)}`)).toMatchObject({
    fault: 'it is too short for an entry',
    id: '01B',
  });
  expect(told(`{"id":"01B"}${' '.repeat(75)}`)).toMatchObject({
    fault: 'it does not end with a hash',
    claimed: null,
    computed: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  const body = '{no json}';
  const hash = sha256(body);
  expect(told(`${body.slice(0, -1)},"hash":"${hash}"}`)).toMatchObject({
    fault: expect.stringMatching(/^it is no JSON: /) as string,
    claimed: hash,
    computed: hash,
    id: null,
  });
  expect(told(`{"type":"session","version":1,"id":"01C",${' '.repeat(80)}`)).toMatchObject({
    id: '01C',
  });
});

test('an entry has an id, a parent or none, a time, a type, and what it follows', () => {
  expect(faultOfEntry(ENTRY)).toBeNull();
  expect(faultOfEntry({ ...ENTRY, parentId: '01' })).toBeNull();
  for (const name of ['id', 'parentId', 'timestamp', 'type', 'prev'])
    expect(faultOfEntry({ ...ENTRY, [name]: 1 })).toBe(`it has no ${name}`);
  const header = { type: 'session', version: 1, id: '01' };
  expect(isHeader(header)).toBe(true);
  for (const other of [{ type: 'message' }, { version: '1' }, { id: 1 }])
    expect(isHeader({ ...header, ...other })).toBe(false);
});
