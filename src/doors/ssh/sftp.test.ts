/** SFTP, packet by packet: each request is answered by its id, with what was asked for or why not. */
import { describe, expect, test } from 'vitest';
import { filesInMemory } from '../testing.ts';
import { Sftp } from './sftp.ts';
import { Fields, long, OPEN, REQUEST } from './sftp-packets.ts';

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (value: string | Buffer): Buffer =>
  Buffer.concat([number(Buffer.byteLength(value)), Buffer.from(value)]);
const none = number(0);
const mode = (bits: number): Buffer => Buffer.concat([number(4), number(bits)]);
const size = (bytes: number): Buffer => Buffer.concat([number(1), long(bytes)]);
const owner = (uid: number, gid: number): Buffer =>
  Buffer.concat([number(2), number(uid), number(gid)]);
const times = (at: number): Buffer => Buffer.concat([number(8), number(at), number(at + 1)]);

/** What the fields of an answer are, by its type. */
function read(packet: Buffer): Record<string, unknown> {
  const fields = new Fields(packet.subarray(4));
  const type = fields.byte();
  if (type === 2) return { version: fields.number() };
  const id = fields.number();
  switch (type) {
    case 101:
      return { id, status: fields.number(), message: fields.text() };
    case 102:
      return { id, handle: fields.text() };
    case 103:
      return { id, data: fields.text() };
    case 104:
      return {
        id,
        names: Array.from({ length: fields.number() }, () => {
          const name = fields.text();
          fields.text();
          return [name, fields.attributes()];
        }),
      };
    case 105:
      return { id, attributes: fields.attributes() };
    default:
      return { id, fields };
  }
}

/** A client of files in memory, with a session begun. */
async function client() {
  const fs = filesInMemory();
  await fs.mkdir('/workspace/d');
  await fs.writeFile('/workspace/a', 'hello');
  await fs.symlink('a', '/workspace/l');
  const sent: Buffer[] = [];
  const faults: unknown[] = [];
  const sftp = new Sftp({
    fs,
    mounts: [],
    home: '/workspace',
    send: (packet) => sent.push(packet),
    onFault: (error) => faults.push(error),
  });
  let id = 0;
  const raw = async (type: number, ...fields: Buffer[]) => {
    const body = Buffer.concat([Buffer.of(type), ...fields]);
    await sftp.receive(Buffer.concat([number(body.length), body]));
  };
  const ask = async (type: number, ...fields: Buffer[]) => {
    sent.splice(0);
    await raw(type, number(++id), ...fields);
    const [answer, ...more] = sent.map(read);
    expect([answer?.['id'], more]).toEqual([id, []]);
    const { id: _, ...rest } = answer ?? {};
    return rest;
  };
  const extended = (name: string, ...fields: Buffer[]) =>
    ask(REQUEST.EXTENDED, text(name), ...fields);
  const open = async (path: string, flags: number, attributes = none) =>
    text(String((await ask(REQUEST.OPEN, text(path), number(flags), attributes))['handle']));
  await raw(REQUEST.INIT, number(3));
  return { fs, sftp, sent, faults, raw, ask, extended, open };
}

const OK = { status: 0, message: '' };
const failed = (status: number, message = expect.any(String)) => ({ status, message });

describe('a session', () => {
  test('begins once, with the version and what is known beyond it', async () => {
    const { sent, raw, faults } = await client();
    expect(sent.map(read)).toEqual([{ version: 3 }]);
    for (const name of [
      'posix-rename',
      'hardlink',
      'fsync',
      'statvfs',
      'fstatvfs',
      'lsetstat',
      'limits',
      'expand-path',
    ])
      expect(sent.join('')).toContain(`${name}@openssh.com`);
    await raw(REQUEST.INIT, number(3));
    expect(read(sent.at(-1) ?? Buffer.alloc(0))).toMatchObject({
      status: 5,
      message: 'a session begins once',
    });
    expect(faults).toEqual([]);
  });

  test('that does not begin with INIT, or sends no packets, is at fault', async () => {
    const faults: unknown[] = [];
    const sent: Buffer[] = [];
    const other = new Sftp({
      fs: filesInMemory(),
      mounts: [],
      home: '/',
      send: (packet) => sent.push(packet),
      onFault: (error) => faults.push(String(error)),
    });
    await other.receive(Buffer.concat([number(5), Buffer.of(REQUEST.STAT), number(1)]));
    await other.receive(Buffer.alloc(4));
    expect([faults, sent]).toEqual([
      ['MalformedPacket: a session begins with INIT', expect.stringContaining('a packet has 1 to')],
      [],
    ]);
  });

  test('says of each request that it is cut short, or not known', async () => {
    const { ask, extended } = await client();
    expect(await ask(REQUEST.STAT)).toEqual(failed(5, 'a packet ends too early'));
    expect(await ask(99)).toEqual(failed(8, 'requests of the kind 99 are not known'));
    expect(await extended('x')).toEqual(failed(8, 'the extension x is not known'));
  });

  test('that is over answers nothing, and writes nothing that was not closed', async () => {
    const { fs, sftp, sent, raw, open } = await client();
    const handle = await open('new', OPEN.WRITE | OPEN.CREAT | OPEN.TRUNC);
    await raw(REQUEST.WRITE, number(7), handle, long(0), text('x'));
    sent.splice(0);
    sftp.close();
    await raw(REQUEST.CLOSE, number(8), handle);
    expect(sent).toEqual([]);
    expect(await fs.readFile('/workspace/new')).toBe('');
  });
});

describe('a file', () => {
  test('is read in parts, to its end', async () => {
    const { ask, open } = await client();
    const handle = await open('a', OPEN.READ);
    const part = (from: number, length: number) =>
      ask(REQUEST.READ, handle, long(from), number(length));
    expect(await part(1, 3)).toEqual({ data: 'ell' });
    expect(await part(3, 100)).toEqual({ data: 'lo' });
    expect(await part(5, 1)).toEqual(failed(1, 'end of file'));
    expect(await part(0, 0)).toEqual({ data: '' });
    expect(await ask(REQUEST.FSTAT, handle)).toMatchObject({ attributes: { size: 5 } });
    expect(await ask(REQUEST.CLOSE, handle)).toEqual(OK);
    expect(await part(0, 1)).toMatchObject({ status: 4 });
    expect(await ask(REQUEST.CLOSE, handle)).toMatchObject({ status: 4 });
  });

  test('is made with a mode, written and appended to', async () => {
    const { fs, ask, open } = await client();
    const made = await open('new', OPEN.WRITE | OPEN.CREAT | OPEN.EXCL, mode(0o777));
    expect(await ask(REQUEST.WRITE, made, long(0), text('12345'))).toEqual(OK);
    expect(await ask(REQUEST.WRITE, made, long(3), text('xyz'))).toEqual(OK);
    await ask(REQUEST.CLOSE, made);
    expect(await fs.readFile('/workspace/new')).toBe('123xyz');
    expect((await fs.stat('/workspace/new')).mode & 0o777).toBe(0o755);
    const more = await open('new', OPEN.APPEND);
    await ask(REQUEST.WRITE, more, long(0), text('+'));
    await ask(REQUEST.CLOSE, more);
    expect(await fs.readFile('/workspace/new')).toBe('123xyz+');
    const both = await open('new', OPEN.READ | OPEN.WRITE);
    await ask(REQUEST.WRITE, both, long(0), text('A'));
    expect(await ask(REQUEST.READ, both, long(0), number(3))).toEqual({ data: 'A23' });
    await ask(REQUEST.CLOSE, both);
    await ask(REQUEST.CLOSE, await open('new', OPEN.WRITE | OPEN.TRUNC));
    expect(await fs.readFile('/workspace/new')).toBe('');
    await ask(REQUEST.CLOSE, await open('usual', OPEN.WRITE | OPEN.CREAT));
    expect((await fs.stat('/workspace/usual')).mode & 0o777).toBe(0o644);
  });

  test('that is there, or is not, is refused where the other is meant', async () => {
    const { ask } = await client();
    const opened = (path: string, flags: number) =>
      ask(REQUEST.OPEN, text(path), number(flags), none);
    expect(await opened('none', OPEN.READ)).toMatchObject({ status: 2 });
    expect(await opened('a', OPEN.WRITE | OPEN.CREAT | OPEN.EXCL)).toMatchObject({ status: 4 });
    expect(await opened('l', OPEN.WRITE | OPEN.CREAT | OPEN.EXCL)).toMatchObject({ status: 4 });
    expect(await opened('l', OPEN.READ | OPEN.EXCL)).toHaveProperty('handle');
  });

  test('is told of, through links or not, and given attributes', async () => {
    const { fs, ask, open, extended } = await client();
    expect(await ask(REQUEST.STAT, text('l'))).toMatchObject({
      attributes: { size: 5, uid: 1000, gid: 1000, mode: 0o100_644 },
    });
    const link = (await ask(REQUEST.LSTAT, text('l')))['attributes'] as { mode: number };
    expect(link.mode >> 12).toBe(0o12);
    expect(await ask(REQUEST.SETSTAT, text('l'), size(2))).toEqual(OK);
    expect(await ask(REQUEST.SETSTAT, text('a'), mode(0o4600))).toEqual(OK);
    expect(await ask(REQUEST.SETSTAT, text('a'), times(1000))).toEqual(OK);
    expect(await fs.readFile('/workspace/a')).toBe('he');
    expect((await fs.stat('/workspace/a')).mtime).toEqual(new Date(1_001_000));
    expect(await ask(REQUEST.SETSTAT, text('a'), owner(1000, 1000))).toEqual(OK);
    for (const [uid, gid] of [
      [0, 1000],
      [1000, 0],
    ] as const)
      expect(await ask(REQUEST.SETSTAT, text('a'), owner(uid, gid))).toMatchObject({
        status: 3,
        message: expect.stringContaining('it has no owner to change'),
      });
    const handle = await open('a', OPEN.WRITE);
    await ask(REQUEST.WRITE, handle, long(0), text('HE'));
    expect(await ask(REQUEST.FSETSTAT, handle, times(2000))).toEqual(OK);
    await ask(REQUEST.CLOSE, handle);
    expect((await fs.stat('/workspace/a')).mtime).toEqual(new Date(2_001_000));
    expect(await extended('lsetstat@openssh.com', text('a'), mode(0o600))).toEqual(OK);
    expect(await extended('lsetstat@openssh.com', text('l'), mode(0o600))).toMatchObject({
      status: 8,
    });
  });

  test('is renamed, never onto another one but where POSIX is asked for; linked, and removed', async () => {
    const { fs, ask, extended } = await client();
    await fs.writeFile('/workspace/b', 'b');
    expect(await ask(REQUEST.RENAME, text('a'), text('b'))).toMatchObject({ status: 4 });
    expect(await extended('posix-rename@openssh.com', text('a'), text('b'))).toEqual(OK);
    expect(await fs.readFile('/workspace/b')).toBe('hello');
    expect(await ask(REQUEST.RENAME, text('b'), text('c'))).toEqual(OK);
    expect(await extended('hardlink@openssh.com', text('c'), text('e'))).toEqual(OK);
    expect(await fs.readFile('/workspace/e')).toBe('hello');
    expect(await ask(REQUEST.REMOVE, text('e'))).toEqual(OK);
    expect(await ask(REQUEST.REMOVE, text('e'))).toMatchObject({ status: 2 });
    expect(await ask(REQUEST.REMOVE, text('l'))).toEqual(OK);
    expect(await fs.exists('/workspace/c')).toBe(true);
  });

  test('is synced when it is asked for', async () => {
    const { fs, ask, open, extended } = await client();
    const handle = await open('a', OPEN.WRITE);
    await ask(REQUEST.WRITE, handle, long(0), text('J'));
    expect(await extended('fsync@openssh.com', handle)).toEqual(OK);
    expect(await fs.readFile('/workspace/a')).toBe('Jello');
    await ask(REQUEST.CLOSE, handle);
  });
});

describe('a directory', () => {
  test('is listed page by page, itself first', async () => {
    const { fs, ask } = await client();
    for (let each = 0; each < 100; each++) await fs.writeFile(`/workspace/d/${each}`, '');
    const { handle } = await ask(REQUEST.OPENDIR, text('d'));
    const page = async () =>
      ((await ask(REQUEST.READDIR, text(String(handle))))['names'] as [string][]).map(
        ([name]) => name,
      );
    const first = await page();
    expect([first.length, first.slice(0, 2)]).toEqual([100, ['.', '..']]);
    expect(await page()).toHaveLength(2);
    expect(await ask(REQUEST.READDIR, text(String(handle)))).toEqual(failed(1, 'end of directory'));
    expect(await ask(REQUEST.CLOSE, text(String(handle)))).toEqual(OK);
    for (const closed of [String(handle), 'd9', 'x'])
      expect(await ask(REQUEST.READDIR, text(closed))).toEqual(
        failed(4, 'Invalid argument: the handle is not open'),
      );
    expect(await ask(REQUEST.CLOSE, text(String(handle)))).toMatchObject({ status: 4 });
  });

  test('is made and removed', async () => {
    const { fs, ask } = await client();
    expect(await ask(REQUEST.MKDIR, text('e'), mode(0o777))).toEqual(OK);
    expect(await ask(REQUEST.MKDIR, text('f'), none)).toEqual(OK);
    for (const made of ['e', 'f'])
      expect((await fs.stat(`/workspace/${made}`)).mode & 0o777).toBe(0o755);
    expect(await ask(REQUEST.RMDIR, text('e'))).toEqual(OK);
    expect(await ask(REQUEST.RMDIR, text('e'))).toMatchObject({ status: 2 });
    expect(await ask(REQUEST.OPENDIR, text('a'))).toMatchObject({ status: 4 });
  });
});

describe('a path', () => {
  const nameOf = (answer: object) => (answer as { names: [string][] }).names[0]?.[0];
  test('begins where the client stands, and is told without links', async () => {
    const { ask, extended } = await client();
    const real = async (path: string) => nameOf(await ask(REQUEST.REALPATH, text(path)));
    expect(await real('')).toBe('/workspace');
    expect(await real('.')).toBe('/workspace');
    expect(await real('d/../l')).toBe('/workspace/a');
    expect(await real('none/x')).toBe('/workspace/none/x');
    const expanded = async (path: string) =>
      nameOf(await extended('expand-path@openssh.com', text(path)));
    expect(await expanded('~')).toBe('/workspace');
    expect(await expanded('~/x')).toBe('/workspace/x');
    expect(await expanded('/x')).toBe('/x');
  });

  test('of a link is its target, as it was made', async () => {
    const { ask } = await client();
    expect(await ask(REQUEST.SYMLINK, text('../up'), text('m'))).toEqual(OK);
    expect(nameOf(await ask(REQUEST.READLINK, text('m')))).toBe('../up');
    expect(await ask(REQUEST.READLINK, text('a'))).toMatchObject({ status: 4 });
  });

  test('leads through links on its way, of which there may be so many', async () => {
    const { fs, ask } = await client();
    await fs.symlink('d', '/workspace/to');
    await fs.writeFile('/workspace/d/x', 'x');
    expect(await ask(REQUEST.STAT, text('to/x'))).toMatchObject({ attributes: { size: 1 } });
    for (let each = 0; each < 41; each++)
      await fs.symlink(each === 0 ? 'a' : `s${each - 1}`, `/workspace/s${each}`);
    expect(await ask(REQUEST.STAT, text('s39'))).toMatchObject({ attributes: { size: 5 } });
    expect(await ask(REQUEST.STAT, text('s40'))).toMatchObject({ status: 4 });
    expect(await ask(REQUEST.STAT, text('/'))).toHaveProperty('attributes');
  });

  test('that is no UTF-8 is told', async () => {
    const { ask } = await client();
    expect(await ask(REQUEST.STAT, text(Buffer.of(0xff)))).toEqual(failed(5, 'a name is no UTF-8'));
  });
});

test('the room of a place, and the limits, are told in their order', async () => {
  const { extended, open } = await client();
  const longs = (answer: object, count: number) => {
    const { fields } = answer as { fields: Fields };
    return Array.from({ length: count }, () => fields.long());
  };
  expect(longs(await extended('limits@openssh.com'), 4)).toEqual([262_144, 261_120, 261_120, 1024]);
  const at = longs(await extended('statvfs@openssh.com', text('a')), 11);
  const [
    block,
    fragment,
    blocks = 0,
    free,
    available,
    entries,
    left,
    usable,
    serial,
    flags,
    longest,
  ] = at;
  expect([block, free, entries, entries]).toEqual([fragment, available, left, usable]);
  expect([serial, flags, longest]).toEqual([0, 0, 255]);
  expect(blocks).toBeGreaterThan(0);
  const handle = await open('a', OPEN.READ);
  expect(longs(await extended('fstatvfs@openssh.com', handle), 11)).toEqual(at);
});
