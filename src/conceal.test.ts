/** A credential that a server repeats is found in whatever form it comes. */
import { describe, expect, test } from 'vitest';
import {
  CONCEALED,
  concealedAnswer,
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
