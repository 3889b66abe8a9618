/** Credentials of another one's: how long each is good, when another is asked for, and where it is put. */
import { describe, expect, it } from 'vitest';
import {
  askCredential,
  type Credential,
  type CredentialRequest,
  type HeldCredential,
  Renewable,
} from './credential.ts';
import { renewingFetch } from './fetch.ts';

const START = Date.parse('2026-01-31T10:00:00Z');
const request: CredentialRequest = {
  for: 'mount',
  name: '/mnt/tracker',
  service: 'tracker',
  variable: 'TRACKER_TOKEN',
  baseUrl: null,
};

describe('a source', () => {
  const ask = (credential: unknown, rejected = false) => {
    const told: unknown[] = [];
    const source = {
      credential: async (
        of: CredentialRequest,
        how: { rejected: boolean; signal: AbortSignal },
      ) => {
        told.push([of, how.rejected, how.signal.aborted]);
        if (credential instanceof Error) throw credential;
        return credential as Credential;
      },
    };
    return { answer: askCredential(source, request, rejected), told };
  };

  it.each([
    [{ value: 'k' }, { value: 'k', expiresAt: null }],
    [
      { value: 'k', expiresAt: undefined },
      { value: 'k', expiresAt: null },
    ],
    [
      { value: '!~', expiresAt: 5 },
      { value: '!~', expiresAt: 5 },
    ],
    [
      { value: 'k', expiresAt: '2026-01-31T11:00:00+01:00' },
      { value: 'k', expiresAt: START },
    ],
    [null, null],
    [undefined, null],
  ])('that gives %o gives %o', async (given, held) => {
    const { answer, told } = ask(given, true);
    expect(await answer).toEqual(held);
    expect(told).toEqual([[request, true, false]]);
  });

  it.each([
    [{ value: '' }],
    [{ value: 'two words' }],
    [{ value: 'k\n' }],
    [{ value: 'kéy' }],
    [{ value: 7 }],
    [{ value: 'k', expiresAt: 'soon' }],
    [{ value: 'k', more: 1 }],
    ['s3cret'],
  ])('that gives %o cannot be used, and its answer is not repeated', async (given) => {
    const { answer } = ask(given);
    await expect(answer).rejects.toThrow(
      'the credential of /mnt/tracker (TRACKER_TOKEN) cannot be used: ',
    );
    await expect(answer).rejects.not.toThrow(/s3cret|two words|kéy/);
  });

  it('that fails says for what', async () => {
    await expect(ask(new Error('it is shut')).answer).rejects.toThrow(
      'the credential of /mnt/tracker (TRACKER_TOKEN) could not be had: it is shut',
    );
  });
});

describe('a credential', () => {
  /** One that is good for so long, and others that are given when they are asked for. */
  function renewable(goodForMs: number | null, ...others: (HeldCredential | null | Error)[]) {
    let time = START;
    const asked: boolean[] = [];
    const first = { value: 'first', expiresAt: goodForMs === null ? null : START + goodForMs };
    const credential = new Renewable(
      first,
      async (rejected) => {
        asked.push(rejected);
        const next = others.shift() ?? null;
        if (next instanceof Error) throw next;
        return next;
      },
      () => time,
    );
    const at = (ms: number) => {
      time = START + ms;
      return credential.current();
    };
    return { credential, asked, at };
  }
  const second = { value: 'second', expiresAt: null };

  it.each([
    // A minute before its end, or when a tenth of its time is left.
    [3_600_000, 3_540_000],
    [600_000, 540_000],
    [100_000, 90_000],
  ])('that is good for %i ms is another one after %i', async (goodFor, until) => {
    const { at, asked } = renewable(goodFor, second);
    expect([await at(until - 1), asked]).toEqual(['first', []]);
    expect([await at(until), asked]).toEqual(['second', [false]]);
    expect([await at(10 * goodFor), asked.length]).toEqual(['second', 1]);
  });

  it('without an end is good until it is refused', async () => {
    const { at, asked, credential } = renewable(null, second);
    expect([await at(1e12), asked]).toEqual(['first', []]);
    expect(await credential.other('first')).toBe('second');
    expect(await credential.other('first')).toBe('second');
    expect(asked).toEqual([true]);
  });

  it('is used until its last moment where no other is to be had', async () => {
    const { at } = renewable(100_000, new Error('shut'), null, new Error('shut'), second);
    expect(await at(95_000)).toBe('first');
    expect(await at(99_999)).toBe('first');
    await expect(at(100_000)).rejects.toThrow('shut');
    expect(await at(100_001)).toBe('second');
    const gone = renewable(100_000, null);
    await expect(gone.at(100_000)).rejects.toThrow('the credential is not kept any more');
  });

  it('that was refused is not given again', async () => {
    const same = renewable(null, { value: 'first', expiresAt: null });
    expect(await same.credential.other('first')).toBeNull();
    const none = renewable(null, new Error('shut'));
    await expect(none.credential.other('first')).rejects.toThrow('shut');
  });

  it('is asked for once by all who need it, and again after that', async () => {
    const { at, credential, asked } = renewable(100_000, { value: 'b', expiresAt: START }, second);
    await at(0);
    const all = await Promise.all([credential.other('first'), credential.other('first')]);
    expect([all, asked.length]).toEqual([['b', 'b'], 1]);
    expect([await credential.current(), asked.length]).toEqual(['second', 2]);
  });
});

describe('a fetch with a credential', () => {
  const later = { value: 'later-credential', expiresAt: null };
  const requests = (statuses: number[], held: HeldCredential = later) => {
    const sent: { url: string; headers: Headers; body: unknown }[] = [];
    const send = (async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      sent.push({ url, headers: new Headers(init?.headers), body: init?.body });
      return new Response('it repeats later-credential', { status: statuses.shift() ?? 200 });
    }) as typeof fetch;
    let asked = 0;
    const credential = new Renewable(held, async () => {
      asked += 1;
      return { value: 'other', expiresAt: null };
    });
    return { fetch: renewingFetch('first', credential, send), sent, asked: () => asked };
  };

  it('puts the one that is good in the place of the first: in headers, in Basic, in the address', async () => {
    const { fetch, sent } = requests([]);
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const answer = await fetch('http://x/?key=first&q=the+first', {
      headers: { a: 'Bearer first', b: basic('user:first'), c: 'none' },
    });
    expect(sent[0]?.url).toBe('http://x/?key=later-credential&q=the+first');
    expect([...(sent[0]?.headers ?? [])]).toEqual([
      ['a', 'Bearer later-credential'],
      ['b', basic('user:later-credential')],
      ['c', 'none'],
    ]);
    expect(await answer.text()).not.toContain('later');
    const request = requests([]);
    await request.fetch(new Request('http://x/?key=first'), { headers: { a: 'first' } });
    expect([request.sent[0]?.url, request.sent[0]?.headers.get('a')]).toEqual([
      'http://x/?key=first',
      'later-credential',
    ]);
  });

  it('leaves a request as it is while the first one is good', async () => {
    const { fetch, sent } = requests([], { value: 'first', expiresAt: null });
    await fetch('http://x/?b=%20', { headers: { a: 'first' } });
    expect(sent[0]?.url).toBe('http://x/?b=%20');
  });

  it.each([
    [undefined, 2],
    [null, 2],
    ['text', 2],
    [new Uint8Array([1]), 2],
    [new ReadableStream(), 1],
  ])(
    'that is refused is sent again, once, with another where its body can be: %o',
    async (...row) => {
      const [body, times] = row;
      const { fetch, sent } = requests([401, 401]);
      const init = { headers: { a: 'first' }, ...(body !== undefined && { body }) } as RequestInit;
      const answer = await fetch('http://x/', init);
      expect([answer.status, sent.length]).toEqual([401, times]);
      expect(sent.at(-1)?.headers.get('a')).toBe(times === 2 ? 'other' : 'later-credential');
    },
  );

  it('that fails otherwise is not sent again, nor one for which there is no other', async () => {
    const forbidden = requests([403]);
    expect((await forbidden.fetch('http://x/')).status).toBe(403);
    expect([forbidden.sent.length, forbidden.asked()]).toEqual([1, 0]);
    const only = requests([401], { value: 'other', expiresAt: null });
    expect((await only.fetch('http://x/')).status).toBe(401);
    expect([only.sent.length, only.asked()]).toEqual([1, 1]);
  });
});
