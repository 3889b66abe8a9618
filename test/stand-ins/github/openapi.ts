/**
 * GitHub's own description of its REST API, as far as it is about what the mount asks
 * (`generate-openapi.ts`): the part of the stand-in that nobody here wrote.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { z } from 'zod';

/** Every operation that the mount uses: method and path as the description has them. */
export const OPERATIONS = [
  'GET /user',
  'GET /user/repos',
  'GET /orgs/{org}/repos',
  'GET /users/{username}/repos',
  'GET /installation/repositories',
  'GET /rate_limit',
  'GET /issues',
  'GET /notifications',
  'GET /notifications/threads/{thread_id}',
  'PATCH /notifications/threads/{thread_id}',
  'GET /search/issues',
  'GET /repos/{owner}/{repo}',
  'GET /repos/{owner}/{repo}/assignees',
  'GET /repos/{owner}/{repo}/contents/{path}',
  'PUT /repos/{owner}/{repo}/contents/{path}',
  'DELETE /repos/{owner}/{repo}/contents/{path}',
  'GET /repos/{owner}/{repo}/git/blobs/{file_sha}',
  'POST /repos/{owner}/{repo}/git/commits',
  'GET /repos/{owner}/{repo}/git/commits/{commit_sha}',
  'GET /repos/{owner}/{repo}/git/ref/{ref}',
  'POST /repos/{owner}/{repo}/git/refs',
  'PATCH /repos/{owner}/{repo}/git/refs/{ref}',
  'POST /repos/{owner}/{repo}/git/trees',
  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
  'GET /repos/{owner}/{repo}/issues',
  'POST /repos/{owner}/{repo}/issues',
  'GET /repos/{owner}/{repo}/issues/comments',
  'GET /repos/{owner}/{repo}/issues/comments/{comment_id}',
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
  'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}',
  'GET /repos/{owner}/{repo}/issues/{issue_number}',
  'PATCH /repos/{owner}/{repo}/issues/{issue_number}',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'GET /repos/{owner}/{repo}/labels',
  'GET /repos/{owner}/{repo}/milestones',
  'GET /repos/{owner}/{repo}/notifications',
  'GET /repos/{owner}/{repo}/pulls',
  'POST /repos/{owner}/{repo}/pulls',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
  'GET /repos/{owner}/{repo}/releases',
  'GET /repos/{owner}/{repo}/tarball/{ref}',
] as const;

export const OPENAPI_FILE = fileURLToPath(new URL('./openapi.json.gz', import.meta.url));

const parameterSchema = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().optional(),
  schema: z.unknown(),
});

/** What is kept of the description. Schemas name each other as `#/components/schemas/NAME`. */
export const openapiSchema = z.object({
  /** Of the package that it was made from. */
  version: z.string(),
  operations: z.record(
    z.string(),
    z.object({
      parameters: z.array(parameterSchema),
      /** Of a body in JSON; absent where there is none. */
      body: z.unknown().optional(),
      /** By status; null where an answer has no body in JSON. */
      responses: z.record(z.string(), z.unknown()),
    }),
  ),
  schemas: z.record(z.string(), z.unknown()),
});
export type OpenapiFile = z.infer<typeof openapiSchema>;

/** One request with its answer. */
export interface Exchange {
  method: string;
  /** Path and query, as sent. */
  url: string;
  accept: string;
  /** JSON, parsed; undefined where nothing was sent. */
  body?: unknown;
  status: number;
  /** JSON, parsed; undefined where the answer is none. */
  answer?: unknown;
}

/** Statuses that any operation may have, whether the description names them or not. */
const ANYWHERE: ReadonlySet<number> = new Set([301, 304, 307, 401, 403, 404, 410, 422, 429, 451]);

export class Openapi {
  readonly file: OpenapiFile;
  readonly #ajv = new Ajv({ strict: false, allErrors: false });
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #matchers: { name: string; method: string; regex: RegExp; names: string[] }[];

  constructor() {
    this.file = openapiSchema.parse(JSON.parse(gunzipSync(readFileSync(OPENAPI_FILE)).toString()));
    addFormats.default(this.#ajv);
    // OWNER/REPO.
    this.#ajv.addFormat('repo.nwo', /^[^/]+\/[^/]+$/);
    this.#ajv.addSchema({ $id: 'all', components: { schemas: this.file.schemas } } as AnySchema);
    this.#matchers = Object.keys(this.file.operations)
      // What is spelled out goes before a parameter: `/issues/comments` is no number.
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((name) => ({ name, ...matcherOf(name) }));
  }

  /** The operation that a request is; null where the description has none. */
  operationOf(method: string, path: string): string | null {
    return this.#match(method, path)?.name ?? null;
  }

  /** What is wrong with a request and its answer, in sentences. */
  problems({ method, url, accept, body, status, answer }: Exchange): string[] {
    const { pathname, searchParams } = new URL(url, 'http://x');
    const found = this.#match(method, pathname);
    const operation = found === null ? undefined : this.file.operations[found.name];
    if (found === null || operation === undefined) return [`there is no ${method} ${pathname}`];
    const { name, values } = found;
    const wrong: string[] = [];
    const note = (what: string, problem: string | null) => {
      if (problem !== null) wrong.push(`${name}: ${what} ${problem}`);
    };
    for (const [key, value] of searchParams) {
      const known = operation.parameters.find((one) => one.in === 'query' && one.name === key);
      if (known === undefined) note(`?${key}`, 'is no parameter of it');
      else note(`?${key}`, this.#parameter(`${name} ${key}`, known.schema, value));
    }
    for (const one of operation.parameters) {
      if (one.in === 'path') {
        note(one.name, this.#parameter(`${name} ${one.name}`, one.schema, values[one.name] ?? ''));
      } else if (one.required === true && one.in === 'query' && !searchParams.has(one.name)) {
        note(`?${one.name}`, 'is missing');
      }
    }
    if (operation.body === undefined) note('the body', body === undefined ? null : 'is not wanted');
    else if (method !== 'DELETE' || body !== undefined) {
      note('the body', this.#problem(`${name} body`, operation.body, body ?? {}));
      note('the body', strangers(operation.body, body));
    }
    this.#answer({ name, status, answer, accept }, operation.responses, note);
    return wrong;
  }

  #answer(
    {
      name,
      status,
      answer,
      accept,
    }: Pick<Exchange, 'status' | 'answer' | 'accept'> & { name: string },
    responses: Readonly<Record<string, unknown>>,
    note: (what: string, problem: string | null) => void,
  ): void {
    const schema = responses[String(status)];
    if (schema === undefined) {
      note('the answer', ANYWHERE.has(status) ? null : `has the status ${status}`);
      return;
    }
    // Another form than JSON of its own is not described.
    const isPlain = accept === '' || /application\/(vnd\.github\.v3\+)?json/.test(accept);
    if (schema === null || !isPlain || status === 304) return;
    note(`the answer ${status}`, this.#problem(`${name} ${status}`, schema, answer));
  }

  /** A parameter is text on the way; it is taken for a number or a truth where that is wanted. */
  #parameter(key: string, schema: unknown, text: string): string | null {
    const read = [text, ...(/^-?\d+$/.test(text) ? [Number(text)] : []), text === 'true'];
    const problems = read.map((value) => this.#problem(key, schema, value));
    return problems.includes(null) ? null : (problems[0] ?? null);
  }

  #problem(key: string, schema: unknown, value: unknown): string | null {
    let validate = this.#compiled.get(key);
    if (validate === undefined) {
      validate = this.#ajv.compile(absolute(schema) as AnySchema);
      this.#compiled.set(key, validate);
    }
    if (validate(value)) return null;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath ?? ''} ${error?.message} ${JSON.stringify(error?.params)}`.trim();
  }

  #match(method: string, path: string) {
    for (const one of this.#matchers) {
      const found = one.method === method ? one.regex.exec(path) : null;
      if (found === null) continue;
      const values = found.slice(1).map((value) => decodeURIComponent(value ?? ''));
      const named = Object.fromEntries(one.names.map((name, i) => [name, values[i] ?? '']));
      return { name: one.name, values: named as Readonly<Record<string, string>> };
    }
    return null;
  }
}

/** Parameters that take slashes, though no description says so. */
const LONG = new Set(['path', 'ref']);

function matcherOf(operation: string) {
  const [method = '', template = ''] = operation.split(' ');
  const names: string[] = [];
  const source = template.replace(/\{(\w+)\}/g, (_all, name: string) => {
    names.push(name);
    return LONG.has(name) ? '(.+)' : '([^/]+)';
  });
  return { method, names, regex: new RegExp(`^${source}$`) };
}

/** References from the document's own root become references to where it was added. */
function absolute(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema ?? true).replaceAll('"#/components/', '"all#/components/'),
  );
}

const objectSchema = z.looseObject({ properties: z.record(z.string(), z.unknown()) });

/** Fields that the description of a body does not have; null where there are none. */
function strangers(schema: unknown, body: unknown): string | null {
  const { properties } = objectSchema.safeParse(schema).data ?? {};
  if (properties === undefined || typeof body !== 'object' || body === null) return null;
  const unknown = Object.keys(body).filter((key) => !(key in properties));
  return unknown.length === 0 ? null : `has fields that it does not know: ${unknown.join(', ')}`;
}
