/** Who may come in by SSH, a key a line, and what SFTP says of what it refuses. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/temporary-directory.ts';
import { ConfigError, FsError } from '../../errors.ts';
import { authorized, readAuthorizedKeys } from './authorized-keys.ts';
import { MalformedPacket, STATUS } from './sftp-packets.ts';
import { statusOf, Unsupported } from './sftp-status.ts';

const [ANA, BOB] = [0, 1].map(() => ssh2.utils.generateKeyPairSync('ed25519').public) as [
  string,
  string,
];
const shown = (key: string): Buffer => Buffer.from(key.split(' ')[1] ?? '', 'base64');

function keysOf(text: string, mode = 0o600) {
  const directory = temporaryDirectory();
  const file = join(directory, 'keys');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return readAuthorizedKeys(file);
}

test('a key belongs to who its comment names, or its option; blank lines and comments are passed over', () => {
  const keys = keysOf(
    `# people\n\n  ${ANA} ana\r\nactor="bob",agent="reader",session="new" ${BOB} some laptop\n`,
  );
  expect(
    keys.map(({ principal, terminal, expiresAt }) => [principal, terminal, expiresAt]),
  ).toEqual([
    [{ actor: 'ana' }, true, Number.POSITIVE_INFINITY],
    [{ actor: 'bob', agent: 'reader', session: 'new' }, true, Number.POSITIVE_INFINITY],
  ]);
  expect(authorized(keys, shown(BOB), 0)?.principal.actor).toBe('bob');
  expect(authorized(keys, shown(ANA), 0)?.principal.actor).toBe('ana');
  expect(authorized(keys.slice(1), shown(ANA), 0)).toBeNull();
  expect(authorized(keys, shown(ANA).subarray(1), 0)).toBeNull();
});

test('a terminal is had unless the line holds it back', () => {
  const rows: [options: string, terminal: boolean][] = [
    ['no-pty', false],
    ['restrict', false],
    ['restrict,pty', true],
    ['No-X11-Forwarding,no-agent-forwarding,no-port-forwarding,no-user-rc', true],
  ];
  for (const [options, terminal] of rows)
    expect(keysOf(`${options} ${ANA} ana`)[0]?.terminal).toBe(terminal);
});

test('a key opens nothing from the time on that its line names, in UTC', () => {
  const at = (text: string) => keysOf(`expiry-time="${text}" ${ANA} ana`)[0];
  expect(at('20260102')?.expiresAt).toBe(Date.UTC(2026, 0, 2));
  expect(at('202601020304')?.expiresAt).toBe(Date.UTC(2026, 0, 2, 3, 4));
  expect(at('20260102030405Z')?.expiresAt).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
  const keys = keysOf(`expiry-time="20260102" ${ANA} ana`);
  expect(authorized(keys, shown(ANA), Date.UTC(2026, 0, 2) - 1)).not.toBeNull();
  expect(authorized(keys, shown(ANA), Date.UTC(2026, 0, 2))).toBeNull();
});

test('a line that cannot be used is an error that names it, and says why', () => {
  const rows: [line: string, why: string][] = [
    [ANA, 'say whose key it is: actor="NAME" before it, or a comment behind it'],
    ['ssh-dss AAAA ana', 'the option ssh-dss is not known here'],
    ['pty ssh-dss AAAA ana', '"ssh-dss" is no type of a public key'],
    ['sk-ssh-ed25519@openssh.com AAAA ana', 'a key on a token (sk-…) is not understood'],
    ['ssh-ed25519 AAAA ana', 'the key is broken'],
    [`from="10.0.0.1" ${ANA} ana`, 'the option from is not known here; there are actor=, agent='],
    [`actor ${ANA} ana`, 'the option actor is not known here'],
    [`="x" ${ANA}`, 'it does not begin with options'],
    [`expiry-time="soon" ${ANA} ana`, 'expiry-time="soon" should be YYYYMMDD'],
    [`actor="a b" ${ANA}`, 'actor should be at most 64 letters'],
  ];
  for (const [line, why] of rows) {
    const read = (): unknown => keysOf(`# first\n${line}\n`);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(why);
    expect(read).toThrow(/keys:2/);
  }
});

test('a file that is not there, or that others may write, lets nobody in', () => {
  expect(() => readAuthorizedKeys('/none/keys')).toThrow('it is not there: write the public keys');
  for (const mode of [0o620, 0o602]) {
    expect(() => keysOf(`${ANA} ana`, mode)).toThrow('others can write it, and let themselves in');
  }
  expect(keysOf(`${ANA} ana`, 0o644)).toHaveLength(1);
});

test('SFTP says of an error its code and its sentence, on one line, with the rule once', () => {
  const of = (code: ConstructorParameters<typeof FsError>[0], more = {}) =>
    statusOf(new FsError(code, { path: '/a', op: 'open', ...more }));
  expect(of('ENOENT')).toEqual({
    code: STATUS.NO_SUCH_FILE,
    message: 'No such file or directory: /a',
  });
  for (const code of ['EACCES', 'EPERM', 'EROFS'] as const)
    expect(of(code)?.code).toBe(STATUS.PERMISSION_DENIED);
  for (const code of ['ENOSYS', 'ENOTSUP'] as const)
    expect(of(code)?.code).toBe(STATUS.OP_UNSUPPORTED);
  expect(of('EISDIR')?.code).toBe(STATUS.FAILURE);
  expect(of('EACCES', { rule: 'r1', reason: 'not yours' })?.message).toMatch(
    /: \/a: not yours \(r1\)$/,
  );
  expect(of('EACCES', { rule: 'r1', reason: 'r1 says no' })?.message).toMatch(/: \/a: r1 says no$/);
  expect(of('EACCES', { rule: 'r1' })?.message).toMatch(/: \/a: r1$/);
  expect(of('EACCES', { reason: 'two\nlines' })?.message).not.toContain('\n');
  expect(statusOf(new MalformedPacket('short'))).toEqual({
    code: STATUS.BAD_MESSAGE,
    message: 'short',
  });
  expect(statusOf(new Unsupported('no'))).toEqual({ code: STATUS.OP_UNSUPPORTED, message: 'no' });
  expect(statusOf(new Error('ours'))).toBeNull();
});
