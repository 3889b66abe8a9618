/** What an error of the family says, and to whom. */
import { expect, test } from 'vitest';
import { ConfigError, FsError, isErrno, isFsError, STRERROR, sentenceOf } from './errors.ts';

const of = (code: keyof typeof STRERROR, more = {}): FsError =>
  new FsError(code, { path: '/a', op: 'open', ...more });

test('a failure begins with its errno, in the words of the C library', () => {
  const error = of('ENOENT');
  expect([error.message, error.strerror]).toEqual([
    "ENOENT: no such file or directory, open '/a'",
    'No such file or directory',
  ]);
  expect(isErrno('ENOENT')).toBe(true);
  for (const other of ['EWHAT', 'toString', 2, undefined]) expect(isErrno(other)).toBe(false);
});

test('only what answers an ordinary question may be passed over, and only without a reason', () => {
  const quiet = Object.keys(STRERROR).filter((code) => !of(code as 'EIO').loud);
  expect(quiet).toEqual(['EEXIST', 'EISDIR', 'ELOOP', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY']);
  expect(of('ENOENT', { reason: 'the service has no such page' }).loud).toBe(true);
});

test('the same failure in other words, or under another path, keeps the rest', () => {
  const cause = new Error('deep');
  const error = of('EROFS', { rule: 'mode ro of /a', reason: 'it is read-only', cause });
  const { code, path, op, rule, reason } = error.at('/b/a');
  expect({ code, path, op, rule, reason }).toEqual({
    code: 'EROFS',
    path: '/b/a',
    op: 'open',
    rule: 'mode ro of /a',
    reason: 'it is read-only',
  });
  expect(error.at('/b').cause).toBe(cause);
  expect(error.saying('not now')).toMatchObject({
    code: 'EROFS',
    path: '/a',
    rule: 'mode ro of /a',
    reason: 'not now',
  });
  expect('cause' in of('EIO')).toBe(false);
});

test('a human is told the reason where there is one, else what there is', () => {
  expect(sentenceOf(of('EIO', { reason: 'ask again' }))).toBe('ask again');
  expect(sentenceOf(of('EIO'))).toBe("EIO: input/output error, open '/a'");
  expect(sentenceOf(new Error('plain'))).toBe('plain');
  expect(sentenceOf('thrown')).toBe('thrown');
});

test('an error is told by its family and its errno; what extends one, by its prototype', () => {
  expect([
    isFsError(of('EIO')),
    isFsError(of('EIO'), 'EIO'),
    isFsError(of('EIO'), 'EPERM'),
  ]).toEqual([true, true, false]);
  expect(isFsError(new Error('EIO'))).toBe(false);
  class Narrower extends FsError {}
  expect(of('EIO') instanceof Narrower).toBe(false);
  expect(new Narrower('EIO', { path: '/', op: 'x' }) instanceof FsError).toBe(true);
  const others: unknown[] = [null, undefined, 'EIO', 3];
  for (const other of others as object[]) expect(other instanceof FsError).toBe(false);
});

test('a fault of the config says where it is', () => {
  expect(new ConfigError('mounts./a.mode', 'is none').message).toBe('mounts./a.mode: is none');
  expect(new ConfigError('', 'is no object').message).toBe('is no object');
  const cause = new Error('deep');
  expect([new ConfigError('a', 'b', cause).cause, 'cause' in new ConfigError('a', 'b')]).toEqual([
    cause,
    false,
  ]);
});
