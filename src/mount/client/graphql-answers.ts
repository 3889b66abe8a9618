/** What the answers of GraphQL services say of refusals: errors with words of the service's own. */
import { z } from 'zod';
import type { Allowance } from './budget.ts';
import { expectShape, type FailureKind, ServiceFailure, tryAgain } from './failure.ts';
import type { Refusal } from './http.ts';
import { refusalOf, retryAfter } from './http-answers.ts';

const errorSchema = z.looseObject({
  message: z.string().catch(''),
  extensions: z.looseObject({}).catch({}),
  /** Of the field that it is of, from the root; null where it is of the whole document. */
  path: z
    .array(z.union([z.string(), z.number()]))
    .nullable()
    .catch(null),
});
const WORDLESS: GraphqlError = { message: '', extensions: {}, path: null };
/** An error of an answer, as the specification of GraphQL has it; `extensions` are the service's own. */
export type GraphqlError = z.infer<typeof errorSchema>;

/** Whatever an error looks like, it is one. */
const errorsSchema = z.array(errorSchema.catch(WORDLESS)).nullish();
const dataSchema = z.record(z.string(), z.unknown());
const wholeSchema = z.looseObject({ data: dataSchema, errors: errorsSchema });
const refusalSchema = z.looseObject({ data: dataSchema.catch({}), errors: errorsSchema });

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
  /** Was something to be changed? */
  changes: boolean;
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
  const { data: partial = {}, errors } = refusalSchema.safeParse(said).data ?? {};
  const [error] = errors ?? [];
  if (error !== undefined) {
    const failure = failureOf(error, reply, refused);
    // Of a question nothing was done, so that only what is said not to be there can be wrong.
    const isDoubtful = refused.changes || failure.absent;
    throw isDoubtful && isInPart(error, partial, refused) ? inPart(failure) : failure;
  }
  if (status >= 300 && status < 400) {
    const text = `${service} was not asked: it answered ${status}, a redirect, and nothing is sent to another address; if that is where it is now, name it`;
    throw new ServiceFailure('protocol', text, { status, unsent: status !== 303 });
  }
  if (status >= 400) throw failureOfEndpoint(reply, refused);
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

/**
 * Has the field of the root answered that an error is in? Then it is there, or was carried out, and an
 * error below it takes nothing back. Of a change any other field that was carried out is enough.
 */
function isInPart(
  { path }: GraphqlError,
  data: Readonly<Record<string, unknown>>,
  { changes }: RefusedAnswer,
): boolean {
  const [root] = path ?? [];
  if (root !== undefined && !changes) return data[root] != null;
  return Object.values(data).some((payload) => payload != null);
}

/** A refusal of what was, or may have been, carried out in part. */
export function inPart(failure: ServiceFailure): ServiceFailure {
  const { message, status, retryAt, uncertain, unsent } = failure;
  if (uncertain || unsent) return failure;
  return new ServiceFailure('protocol', message, { status, retryAt, cause: failure });
}

function failureOf(
  error: GraphqlError,
  reply: GraphqlReply,
  refused: RefusedAnswer,
): ServiceFailure {
  const { service, kindOf, says = ({ message }) => message } = refused;
  const { status } = reply;
  const told = status === 429 ? 'limited' : kindOf(error);
  if (told === 'limited') return limited(codeOf(error) ?? String(status), reply, refused);
  // Whatever its word is: what a service did before it failed nobody can tell.
  if (status >= 500) return refusalOf(service, status, '');
  // Nor what was done before an error with a good status.
  const kind = told ?? (status < 400 ? 'protocol' : failureOfEndpoint(reply, refused).kind);
  if (kind === 'auth') return keyRefused(status, refused);
  const said = says(error).replace(/\s+/g, ' ').trim().slice(0, 300) || 'an error without words';
  const text =
    kind === 'missing'
      ? `${service} answered that there is no such thing, or the key may not see it (${said})`
      : `${service} answered: ${said}`;
  return new ServiceFailure(kind, text, { status });
}

/** By its status alone. Where the endpoint is not there, that tells of none of its records. */
function failureOfEndpoint(reply: GraphqlReply, refused: RefusedAnswer): ServiceFailure {
  const { status, said } = reply;
  const words = typeof said === 'string' ? said : JSON.stringify(said ?? '');
  const failure = failureOfStatus(reply, refused, words);
  if (!failure.absent) return failure;
  const text = `${refused.service} answered ${status} to a question: check its address, and what stands before it`;
  return new ServiceFailure('protocol', text, { status });
}

/** A refusal that only a status, and maybe the service's own words, tell of. */
export function failureOfStatus(
  reply: Pick<GraphqlReply, 'status' | 'headers'>,
  refused: Pick<RefusedAnswer, 'service' | 'variable' | 'now' | 'allowance'>,
  words = '',
): ServiceFailure {
  const { status } = reply;
  if (status === 429) return limited('429', reply, refused);
  return status === 401 ? keyRefused(status, refused) : refusalOf(refused.service, status, words);
}

function keyRefused(
  status: number,
  { service, variable = 'the token' }: Pick<RefusedAnswer, 'service' | 'variable'>,
): ServiceFailure {
  return new ServiceFailure('auth', `${service} refused the key: check ${variable}`, { status });
}

const codeOf = ({ extensions: { code } }: GraphqlError): string | null =>
  typeof code === 'string' ? code : null;

function limited(
  said: string,
  { headers, status }: Pick<GraphqlReply, 'status' | 'headers'>,
  { service, allowance, now }: Pick<RefusedAnswer, 'service' | 'allowance' | 'now'>,
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
 * Has the root of a document one field? Several of a mutation are carried out one after the other, so
 * that a refusal of one does not tell of those before it.
 */
export async function hasOneField(document: string): Promise<boolean> {
  const { parse } = await import('graphql');
  try {
    const { definitions } = parse(document, { noLocation: true });
    const operation = definitions.find((one) => one.kind === 'OperationDefinition');
    const [field, ...others] = operation?.selectionSet.selections ?? [];
    return field?.kind === 'Field' && others.length === 0;
  } catch {
    // What only the service can read may have any number of them.
    return false;
  }
}
