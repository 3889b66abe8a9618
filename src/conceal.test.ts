/** A credential that a server repeats is found in whatever form it comes. */
import { describe, expect, test } from 'vitest';
import {
  CONCEALED,
  concealedAnswer,
  concealedData,
  concealedFetch,
  concealing,
  secretsOf,
  secretsOfHeaders,
} from './conceal.ts';

const SECRET = 'ghp_s3cret+/Value=="q';

describe('a credential is taken out', () => {
  test.each([
    ['as it is', SECRET],
    ['of a header', `Bearer ${SECRET}`],
    ['of JSON', JSON.stringify({ token: SECRET })],
    ['of a URL', `https://x/?t=${encodeURIComponent(SECRET)}`],
    ['in Base64', Buffer.from(SECRET).toString('base64')],
    ['in Base64 for URLs', Buffer.from(SECRET).toString('base64url')],
    ['of basic authorization', Buffer.from(`x-access-token:${SECRET}`).toString('base64')],
    [
      'of basic authorization with one sign before it',
      Buffer.from(`:${SECRET}`).toString('base64'),
    ],
    ['of basic authorization with two', Buffer.from(`a:${SECRET}:b`).toString('base64')],
  ])('%s', (_, text) => {
    const shown = concealing([SECRET])(`before ${text} after`);
    expect(shown).toContain(CONCEALED);
    expect(shown.startsWith('before ') && shown.endsWith(' after')).toBe(true);
    for (const form of [SECRET, SECRET.slice(4, 16)]) {
      expect(shown).not.toContain(form);
      const words = shown.split(/[^A-Za-z0-9+/_=-]+/);
      for (const word of words)
        expect(Buffer.from(word, 'base64').toString('latin1')).not.toContain(form);
    }
  });

  test('and words are left alone, by chance or as a short secret', () => {
    const text = 'a token of value';
    expect(concealing([SECRET, 'token', '', undefined])(text)).toBe(text);
  });
});

describe('an answer', () => {
  const body = (text: string): Uint8Array => Buffer.from(text);

  test.each([400, 401, 422, 500])(
    'that refuses with %i repeats nothing, in body and headers',
    async (status) => {
      const base64 = Buffer.from(SECRET).toString('base64');
      const headers = new Headers({
        'x-echo': SECRET,
        'www-authenticate': `Basic ${base64}`,
        'content-type': 'x/y',
      });
      const answer = concealedAnswer({ status, headers }, body(`${SECRET} ${base64}`), [SECRET]);
      const all = JSON.stringify([[...answer.headers], await answer.text()]);
      expect(answer.status).toBe(status);
      for (const form of [SECRET, base64]) expect(all).not.toContain(form);
    },
  );

  test('with data has it taken out of text and JSON, and bytes are as they were', async () => {
    const of = (type: string, text: string) =>
      concealedAnswer({ status: 200, headers: new Headers({ 'content-type': type }) }, body(text), [
        SECRET,
      ]);
    const record = JSON.stringify({ body: `my ${SECRET} é` });
    expect(await of('application/json; charset=utf-8', record).json()).toEqual({
      body: `my ${CONCEALED} é`,
    });
    expect(await of('application/vnd.github+json', record).text()).toContain('é');
    expect(await of('application/x-gzip', SECRET).text()).toBe(SECRET);
    // A file's content in Base64 is data, and would be broken.
    const encoded = Buffer.from(SECRET).toString('base64');
    expect(await of('application/json', encoded).text()).toBe(encoded);
  });

  test('that streams is passed on, and one without a body stays without', async () => {
    const answers = [
      new Response(SECRET, { headers: { 'content-type': 'text/event-stream' } }),
      new Response(null, { status: 304 }),
    ];
    const fetch = concealedFetch(async () => answers.shift() as Response, [SECRET]);
    expect(await (await fetch('http://x')).text()).toBe(SECRET);
    expect((await fetch('http://x')).status).toBe(304);
  });
});

test('credentials are known by what variables and headers are called', () => {
  const env = {
    OPENAI_API_KEY: 'a',
    X_TOKEN: 'b',
    HOME: 'c',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=d,x=Bearer%20e',
  };
  expect(secretsOf(env)).toEqual(['a', 'b', 'd', 'd', 'Bearer e', 'e']);
  expect(secretsOfHeaders({ Authorization: 'Bearer f', accept: 'g', 'X-Api-Key': 'h' })).toEqual([
    'Bearer f',
    'f',
    'h',
    'h',
  ]);
});

describe('what is a credential', () => {
  test('has eight characters at least, and one that holds another goes first', () => {
    expect(concealing(['1234567'])('1234567')).toBe('1234567');
    expect(concealing(['12345678'])('a12345678b')).toBe(`a${CONCEALED}b`);
    expect(concealing(['secret-1', 'secret-1-and-more'])('secret-1-and-more secret-1')).toBe(
      `${CONCEALED} ${CONCEALED}`,
    );
  });

  test('in a header or a variable may be written as a URL has it; what only looks so is as it is', () => {
    expect(secretsOf({ API_TOKEN: '100%', PASSWD: ' a%20b ' })).toEqual(['100%', ' a%20b ']);
    expect(secretsOfHeaders({ cookie: ' a%20b ', 'x-secret': '100%' })).toEqual([
      'a b',
      'b',
      '100%',
      '100%',
    ]);
    const names = [
      'MY_KEY',
      'token',
      'SECRET',
      'password',
      'passwd',
      'credentials',
      'authorization',
    ];
    for (const name of [...names, 'Set-Cookie', 'x_headers'])
      expect(secretsOfHeaders({ [name]: 'v' }), name).toEqual(['v', 'v']);
    expect(secretsOfHeaders({ headers_of: 'v', accept: 'v' })).toEqual([]);
    expect(secretsOf({ A_HEADERS: 'x=1=2,y', B_TOKEN: undefined })).toEqual([
      ...['1=2', '1=2', 'y', 'y'],
      '',
    ]);
  });
});

test('data is without them as they are, and the same data where it holds none', () => {
  const data = { a: ['x', SECRET, Buffer.from(SECRET).toString('base64')], n: 1 };
  expect(concealedData(data, [SECRET])).toEqual({ ...data, a: ['x', CONCEALED, data.a[2]] });
  expect(concealedData(data, ['another-secret'])).toBe(data);
  expect(concealedData({ q: 'say "secret" \\' }, ['say "secret" \\'])).toEqual({ q: CONCEALED });
});

describe('of an answer', () => {
  const of = (status: number, type: string | null, text = SECRET): Response =>
    concealedAnswer(
      { status, headers: new Headers({ ...(type && { 'content-type': type }), 'x-t': SECRET }) },
      Buffer.from(text),
      [SECRET],
    );

  test.each([204, 205, 304])('%i there is no body', async (status) => {
    expect(of(status, null).body).toBeNull();
    expect(of(status, null).headers.get('x-t')).toBe(CONCEALED);
  });

  test('text and JSON of any kind are read, others are not, unless it refuses', async () => {
    for (const type of ['text/plain', 'TEXT/html', 'application/json', 'application/a.b+json'])
      expect(await of(200, type).text(), type).toBe(CONCEALED);
    for (const type of ['application/jsonl', 'image/png', 'x-text/plain', null])
      expect(await of(200, type).text(), String(type)).toBe(SECRET);
    expect(await of(399, 'image/png').text()).toBe(SECRET);
    expect(await of(400, 'image/png').text()).toBe(CONCEALED);
    const base64 = Buffer.from(SECRET).toString('base64');
    expect(await of(399, 'text/plain', base64).text()).toBe(base64);
    expect(await of(400, 'text/plain', base64).text()).toBe(CONCEALED);
  });

  test('bytes that are no UTF-8 are kept beside a credential', async () => {
    const bytes = Buffer.concat([Buffer.of(0xff, 0xc3), Buffer.from(SECRET), Buffer.of(0x80)]);
    const headers = new Headers({ 'content-type': 'text/plain' });
    const answer = concealedAnswer({ status: 200, headers }, bytes, [SECRET]);
    expect(Buffer.from(await answer.arrayBuffer()).toString('latin1')).toBe(`ÿÃ${CONCEALED}\x80`);
  });

  test('a stream that refuses is read', async () => {
    const headers = { 'content-type': 'text/event-stream' };
    const fetch = concealedFetch(
      async () => new Response(SECRET, { status: 401, headers }),
      [SECRET],
    );
    expect(await (await fetch('http://x')).text()).toBe(CONCEALED);
  });
});
