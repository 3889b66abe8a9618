/**
 * Takes a credential out of what a server answers with it: in an error's words,
 * a header, a body. It stands at the border of each client, so that nothing
 * behind it, no message, log or replica, can hold one.
 */

/** What stands where a credential stood. */
export const CONCEALED = '[redacted]';

/** Gives a text without the credentials that it was made for. */
export type Conceal = (text: string) => string;

/** Shorter ones are words, which a text may hold by chance. Characters. */
const SHORTEST = 8;

/**
 * @param secrets credentials as they are sent
 * @returns what finds them as they are, and in Base64, URLs and JSON
 */
export function concealing(secrets: Iterable<string | undefined>): Conceal {
  return replacing([...wholeOf(secrets)].flatMap(formsOf));
}

/** The same, of the credentials as they are: what is data may look like another form by chance. */
function concealingPlain(secrets: Iterable<string | undefined>): Conceal {
  return replacing([...wholeOf(secrets)].flatMap((secret) => [secret, asJson(secret)]));
}

/**
 * A fetch whose answers do not repeat credentials: refusals in no form, and
 * answers that are text not as they are. Bytes are not touched.
 */
export function concealedFetch(
  fetch: typeof globalThis.fetch,
  secrets: readonly (string | undefined)[],
): typeof globalThis.fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    // What comes bit by bit is passed on as it comes; nothing of it is an error's.
    if (answer.ok && answer.headers.get('content-type')?.includes('event-stream') === true)
      return answer;
    const body = new Uint8Array(await answer.arrayBuffer());
    return concealedAnswer(answer, body, secrets);
  };
}

/** An answer whose body was read, without the credentials. */
export function concealedAnswer(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: Uint8Array,
  secrets: readonly (string | undefined)[],
): Response {
  const refused = status >= 400;
  const conceal = refused ? concealing(secrets) : concealingPlain(secrets);
  const empty = status === 204 || status === 205 || status === 304;
  const told = new Headers();
  for (const [name, value] of headers) told.append(name, concealing(secrets)(value));
  if (empty) return new Response(null, { status, headers: told });
  const isText = refused || TEXT.test(headers.get('content-type') ?? '');
  return new Response(isText ? concealedBytes(body, conceal) : body, { status, headers: told });
}

/** Data of an answer without the credentials as they are. It must be JSON. */
export function concealedData<T>(data: T, secrets: readonly (string | undefined)[]): T {
  const text = JSON.stringify(data);
  const clean = concealingPlain(secrets)(text);
  return clean === text ? data : (JSON.parse(clean) as T);
}

/** The credentials in an environment, by what variables of that kind are called. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (!CREDENTIAL.test(name)) return [];
    // `OTEL_EXPORTER_OTLP_HEADERS` holds several: `name=value,name=value`.
    if (!name.endsWith('_HEADERS')) return [value];
    return value.split(',').flatMap((each) => valuesOf(each.slice(each.indexOf('=') + 1)));
  });
}

/** The credentials in headers that a client sends. */
export function secretsOfHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    CREDENTIAL.test(name) ? valuesOf(value) : [],
  );
}

const TEXT = /^(?:text\/|application\/(?:[\w.+-]*\+)?json\b)/i;
const CREDENTIAL = /key|token|secret|password|passwd|credential|authorization|cookie|_headers$/i;

/** A header's value, and what follows its scheme: `Bearer x`. */
function valuesOf(value: string): string[] {
  const text = decoded(value.trim());
  return [text, text.replace(/^\w+ +/, '')];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

const wholeOf = (secrets: Iterable<string | undefined>): Set<string> =>
  new Set(
    [...secrets].filter((secret) => secret !== undefined && secret.length >= SHORTEST),
  ) as Set<string>;

/** The forms that a credential is repeated in. */
function formsOf(secret: string): string[] {
  const forms = [secret, asJson(secret), encodeURIComponent(secret), ...inBase64(secret)];
  return forms.filter((form) => form.length >= SHORTEST);
}

const asJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** What Base64 makes of it, wherever in a text it stands: the signs that it alone decides. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((shifted.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((way) =>
      shifted.toString(way).slice(first, last),
    );
  });
}

function replacing(forms: readonly string[]): Conceal {
  // What holds another one goes first.
  const wanted = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (text) => wanted.reduce((rest, form) => rest.replaceAll(form, CONCEALED), text);
}

/** Bytes that are no UTF-8 keep what is none: a credential is ASCII. */
function concealedBytes(body: Uint8Array, conceal: Conceal): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const clean = conceal(text);
  return new Uint8Array(clean === text ? body : Buffer.from(clean, 'latin1'));
}
