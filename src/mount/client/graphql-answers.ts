/** What the answers of GraphQL services say of refusals: errors with words of the service's own. */
import { z } from 'zod';
import type { Allowance } from './budget.ts';
import { expectShape, type FailureKind, ServiceFailure, tryAgain } from './failure.ts';
import type { Refusal } from './http.ts';
import { refusalOf, retryAfter } from './http-answers.ts';

const errorSchema = z.looseObject({
  message: z.string().default(''),
  extensions: z.looseObject({}).default({}),
});
/** An error of an answer, as the specification of GraphQL has it; `extensions` are the service's own. */
export type GraphqlError = z.infer<typeof errorSchema>;

const wholeSchema = z.looseObject({ data: z.record(z.string(), z.unknown()) });
const refusalSchema = z.looseObject({
  errors: z.array(errorSchema).nullish(),
});

/** What a service answered to a document. */
export interface GraphqlReply extends Pick<Response, 'status' | 'headers'> {
  /** What it said: an object with `data` or `errors`, or anything else. */
  said: unknown;
}

/** How a service says that it did not do what was asked. */
export interface GraphqlRefusals {
  /** What an error is; undefined where its status has to tell. */
  kindOf(error: GraphqlError): FailureKind | undefined;
  /** What a field of the root refuses although there is no error: `{ errors: [{ message }] }`. */
  refused?(payload: Readonly<Record<string, unknown>>): Refusal | null;
  /** What it says to people; its message by default. */
  says?(error: GraphqlError): string;
  /** The variable that whoever runs it sets the token in: `TRACKER_TOKEN`. */
  variable?: string;
}

export interface RefusedAnswer extends GraphqlRefusals {
  service: string;
  now: Date;
  /** What its headers said of the limits. */
  allowance: Allowance | null;
}

/** The data of an answer. Throws ServiceFailure. */
export function dataOf(
  reply: GraphqlReply,
  refused: RefusedAnswer,
): Readonly<Record<string, unknown>> {
  const { service } = refused;
  const { status, said } = reply;
  const [error] = refusalSchema.safeParse(said).data?.errors ?? [];
  if (error !== undefined) throw failureOf(error, reply, refused);
  if (status === 429) throw limited('429', reply, refused);
  if (status >= 300 && status < 400) {
    const text = `${service} was not asked: it answered ${status}, a redirect, and nothing is sent to another address; if that is where it is now, name it`;
    throw new ServiceFailure('protocol', text, { status, unsent: status !== 303 });
  }
  if (status >= 400) {
    throw refusalOf(service, status, typeof said === 'string' ? said : JSON.stringify(said ?? ''));
  }
  // Without data and without an error it is no answer: of what is there it says nothing.
  const { data } = expectShape(service, wholeSchema, said, 'a question');
  for (const payload of Object.values(data)) {
    const isObject = typeof payload === 'object' && payload !== null;
    const refusal = isObject ? refused.refused?.({ ...payload }) : null;
    if (refusal != null) {
      const text = `${service} answered: ${refusal.message}`;
      throw new ServiceFailure(refusal.kind, text, { status });
    }
  }
  return data;
}

function failureOf(
  error: GraphqlError,
  reply: GraphqlReply,
  refused: RefusedAnswer,
): ServiceFailure {
  const { service, kindOf, says = ({ message }) => message, variable } = refused;
  const { status } = reply;
  const kind = status === 429 ? 'limited' : (kindOf(error) ?? kindOfStatus(service, status));
  const said = says(error).replace(/\s+/g, ' ').slice(0, 300);
  if (kind === 'limited') return limited(codeOf(error) ?? String(status), reply, refused);
  if (kind === 'server' && status >= 500) return refusalOf(service, status, '');
  if (kind === 'auth') {
    const check = variable === undefined ? 'check the token' : `check ${variable}`;
    return new ServiceFailure(kind, `${service} refused the key: ${check}`, { status });
  }
  const text =
    kind === 'missing'
      ? `${service} answered that there is no such thing, or the key may not see it (${said})`
      : `${service} answered: ${said}`;
  return new ServiceFailure(kind, text, { status });
}

/** Of an error with a good status nobody knows what was done before it. */
const kindOfStatus = (service: string, status: number): FailureKind =>
  status < 400 ? 'protocol' : refusalOf(service, status, '').kind;

const codeOf = ({ extensions: { code } }: GraphqlError): string | null =>
  typeof code === 'string' ? code : null;

function limited(
  said: string,
  { headers, status }: GraphqlReply,
  { service, allowance, now }: RefusedAnswer,
): ServiceFailure {
  const isTold = headers.has('retry-after') || allowance === null;
  const until = isTold ? retryAfter(headers, now) : allowance.resetAt;
  const text = `${service} answered ${said}, its limit of requests is used up: ${tryAgain(until, now)}`;
  return new ServiceFailure('limited', text, { status, retryAt: until });
}

/** What an answer says: JSON, or the text of a page for people. */
export async function replyOf(answer: Response): Promise<GraphqlReply> {
  const { status, headers } = answer;
  const text = await answer.text();
  try {
    return { status, headers, said: JSON.parse(text) };
  } catch {
    // What it should have been the status says, or the shape that is expected.
    return { status, headers, said: text };
  }
}

/**
 * How many fields the root of a document has. Those of a mutation are carried out one after the
 * other, so that a refusal of one does not tell of those before it.
 */
export function rootFields(document: string): number {
  let [braces, brackets, top] = [0, 0, ''];
  for (const [sign] of document.matchAll(/"(?:\\.|[^"\\])*"|[\s\S]/g)) {
    if (sign === '(') brackets += 1;
    if (sign === '{' && brackets === 0) braces += 1;
    if (braces === 1 && brackets === 0) top += sign === '{' ? ' ' : sign;
    if (sign === ')') brackets -= 1;
    if (sign === '}' && brackets === 0) braces -= 1;
    if (sign === '}' && braces === 0 && brackets === 0) break;
  }
  const names = top.replace(/@\w+|\w+\s*:/g, ' ').match(/\w+/g);
  return names?.length ?? 0;
}
