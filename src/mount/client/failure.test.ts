/** What a service did instead of answering: the errno and the sentence, and whether it is asked again. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { failed } from '../../../test/support/service-failure.ts';
import { askAgain } from './asking-again.ts';
import { Breaker } from './breaker.ts';
import { Cursors } from './cursors.ts';
import {
  clock,
  expectShape,
  type FailureKind,
  type FailureOptions,
  failureOfFetch,
  kindOfCode,
  ServiceFailure,
  tryAgain,
} from './failure.ts';
import { refusalByWord } from './refusals.ts';

const NOW = new Date('2026-01-31T10:00:00Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);

describe('a failure', () => {
  it.each([
    ['auth', 'EACCES', false, false],
    ['forbidden', 'EACCES', false, false],
    ['missing', 'ENOENT', false, true],
    ['gone', 'ENOENT', false, true],
    ['invalid', 'EINVAL', false, false],
    ['stale', 'ESTALE', false, false],
    ['limited', 'EAGAIN', false, false],
    ['unfinished', 'EAGAIN', false, false],
    ['server', 'EIO', true, false],
    ['network', 'EIO', true, false],
    ['timeout', 'ETIMEDOUT', true, false],
    ['protocol', 'EIO', true, false],
  ] as const)('of kind %s is %s; uncertain: %s, absent: %s', (kind, code, uncertain, absent) => {
    const failure = new ServiceFailure(kind, 'a sentence');
    expect(failure).toMatchObject({ uncertain, absent, unsent: false });
    expect(new ServiceFailure(kind, 'x', { unsent: true }).uncertain).toBe(false);
    const error = failure.at('/a/b.md', 'read');
    expect(error).toMatchObject({ code, path: '/a/b.md', cause: failure });
    expect(error.reason).toBe('a sentence');
  });

  it('keeps all that is known of it as one of several, and without the credentials in its words', () => {
    const cause = new Error('below');
    const known = { status: 429, retryAt: NOW, unsent: true };
    const failure = new ServiceFailure('limited', 'not with s3cret', { ...known, cause });
    const third = failure.of(3);
    expect(third).toMatchObject({ ...known, kind: 'limited', message: failure.message, cause });
    expect([failure.request, third.request]).toEqual([undefined, 3]);
    const concealed = third.concealed((text) => text.replace('s3cret', '…'));
    expect(concealed).toMatchObject({ ...known, kind: 'limited', message: 'not with …' });
    // What it came of may say them, too.
    expect([concealed.request, concealed.cause]).toEqual([3, undefined]);
    expect(third.concealed((text) => text)).toBe(third);
    expect('cause' in new ServiceFailure('server', 'x')).toBe(false);
  });

  it.each([
    [0, 'try again after 10:00:00 UTC (in 1 s)'],
    [-5_000, 'try again after 09:59:55 UTC (in 1 s)'],
    [1_000, 'try again after 10:00:01 UTC (in 1 s)'],
    [1_001, 'try again after 10:00:01 UTC (in 2 s)'],
    [90_000, 'try again after 10:01:30 UTC (in 90 s)'],
  ])('that ends in %i ms says when to come back', (ms, said) => {
    expect(tryAgain(later(ms), NOW)).toBe(said);
    expect(said).toContain(clock(later(ms)));
  });

  it.each([
    ['ECONNREFUSED', true],
    ['ENOTFOUND', true],
    ['EAI_AGAIN', true],
    ['ENETUNREACH', true],
    ['EHOSTUNREACH', true],
    ['UND_ERR_CONNECT_TIMEOUT', true],
    ['ECONNRESET', false],
    ['UND_ERR_SOCKET', false],
  ])('of a connection by %s: was certainly nothing sent? %s', (code, unsent) => {
    const cause = Object.assign(new Error('below'), { code });
    for (const error of [new TypeError('fetch failed', { cause }), cause])
      expect(failureOfFetch('it', error, 1_000)).toMatchObject({
        kind: 'network',
        unsent,
        cause: error,
        message: `${unsent ? 'it could not be reached' : 'the connection to it broke off'} (${code}); try again later`,
      });
  });

  it('of a connection has no code where none is told, and a time where that was over', () => {
    expect(failureOfFetch('it', new Error('cut'), 1_000).message).toContain('(no answer)');
    expect(failureOfFetch('it', 'cut', 1_000)).toMatchObject({ kind: 'network', unsent: false });
    for (const name of ['TimeoutError', 'AbortError'])
      expect(failureOfFetch('it', new DOMException('x', name), 1_500)).toMatchObject({
        kind: 'timeout',
        uncertain: true,
        message: 'it did not answer within 1.5 s; try again later',
      });
  });

  it('of an answer names what is not as it was expected', () => {
    const schema = z.object({ a: z.object({ b: z.number() }) });
    expect(expectShape('it', schema, { a: { b: 1 }, c: 2 }, 'x')).toEqual({ a: { b: 1 } });
    expect(() => expectShape('it', schema, { a: { b: 'no' } }, 'the issue 7')).toThrow(
      /^it's answer for the issue 7 is not what was expected \(a\.b: .*number/,
    );
  });
});

describe.concurrent('a read', () => {
  const trying = (kind: FailureKind, options: FailureOptions = {}) => {
    let tries = 0;
    const asked = askAgain(async () => {
      tries += 1;
      throw new ServiceFailure(kind, `try ${tries}`, options);
    });
    return failed(asked).then(({ message }) => ({ tries, message }));
  };

  it.each([
    ['server', { status: 502 }, 3],
    ['server', { status: 503 }, 3],
    ['server', { status: 504 }, 3],
    ['server', { status: 500 }, 1],
    ['server', { status: 503, retryAt: NOW }, 1],
    ['network', {}, 3],
    ['network', { unsent: true }, 1],
    ['timeout', {}, 1],
    ['limited', { status: 503 }, 1],
    ['protocol', { status: 502 }, 1],
  ] as const)('that fails as %s %o is tried %i times, and fails as the last', async (...row) => {
    const [kind, options, tries] = row;
    expect(await trying(kind, options)).toEqual({ tries, message: `try ${tries}` });
  });

  it('is tried no more once it is answered, or what fails is no service', async () => {
    let tries = 0;
    const second = async () => {
      tries += 1;
      if (tries < 2) throw new ServiceFailure('network', 'cut');
      return 'said';
    };
    expect([await askAgain(second), tries]).toEqual(['said', 2]);
    const other = askAgain(async () => {
      tries += 1;
      throw new TypeError('a bug');
    });
    await expect(other).rejects.toThrow('a bug');
    expect(tries).toBe(3);
  });
});

it('a breaker is closed until the latest time that was named, and tells of it', () => {
  let now = NOW;
  const breaker = new Breaker('it', () => now);
  breaker.check();
  breaker.openUntil(later(5_000));
  breaker.openUntil(later(2_000));
  const sentence =
    'it asked us to wait: try again after 10:00:05 UTC (in 2 s); no request was sent';
  now = later(3_000);
  const refused = failed((async () => breaker.check())());
  now = later(5_000);
  breaker.check();
  // What is over is forgotten: an earlier time by a clock that was set back is one again.
  now = NOW;
  breaker.check();
  breaker.openUntil(later(1_000));
  expect(() => breaker.check()).toThrow('10:00:01');
  return refused.then((failure) =>
    expect(failure).toMatchObject({
      kind: 'limited',
      message: sentence,
      retryAt: later(5_000),
    }),
  );
});

describe('a cursor', () => {
  it('leads on as long as it is another one', () => {
    const cursors = new Cursors('Tracker', 'comments', 'start');
    expect(['a', 'b'].map((cursor) => cursors.next(cursor))).toEqual(['a', 'b']);
    for (const again of ['a', 'start'])
      expect(() => cursors.next(again)).toThrow("Tracker's comments lead in a circle");
  });

  it.each([[''], [null], [undefined]])('that is %o is no end of what goes on', (cursor) => {
    expect(() => new Cursors('Tracker', 'comments').next(cursor)).toThrow(
      'Tracker has more comments, and did not say where they go on',
    );
  });
});

describe('a word in an answer', () => {
  const refusal = refusalByWord({
    service: 'Chat',
    word: ({ ok, error }) => (ok === true ? null : String(error)),
    kinds: { missing: ['not_found', 'no_channel'], auth: ['bad_token'] },
    done: ['already_so'],
    more: ({ needed }) => (needed === undefined ? '' : `needs ${needed}`),
  });

  it.each([
    [{ ok: true }, null],
    [{ error: 'already_so' }, null],
    [{ error: 'no_channel' }, { kind: 'missing', message: 'Chat refused post: no_channel' }],
    [
      { error: 'bad_token', needed: 'a scope' },
      { kind: 'auth', message: 'Chat refused post: bad_token: needs a scope' },
    ],
    [{ error: 'odd' }, { kind: 'invalid', message: 'Chat refused post: odd' }],
  ])('%o comes to %o', (answer, comes) => {
    expect(refusal(answer, 'post')).toEqual(comes);
  });

  it.each([[null], ['ok'], [7]])('is in an object, which %o is not', (answer) => {
    expect(() => refusal(answer, 'post')).toThrow("Chat's answer for post is no object");
  });

  it('is of the kind whose list it is in, if any', () => {
    const kinds = { gone: ['a', 'b'], stale: ['c'] };
    expect(['a', 'b', 'c', 'd'].map((code) => kindOfCode(kinds, code))).toEqual([
      'gone',
      'gone',
      'stale',
      undefined,
    ]);
  });
});
