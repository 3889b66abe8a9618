/**
 * What the service takes and gives, as JSON Schemas made from the client's own types
 * (`generate-schemas.ts`): the part of the stand-in that nobody here wrote.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

/** Names of types in `@notionhq/client`'s api-endpoints. Requests hold path, query and body together. */
export const SCHEMA_NAMES = [
  'SearchParameters',
  'SearchResponse',
  'GetPageResponse',
  'CreatePageParameters',
  'CreatePageResponse',
  'UpdatePageParameters',
  'UpdatePageResponse',
  'PageMarkdownResponse',
  'UpdatePageMarkdownParameters',
  'GetBlockResponse',
  'ListBlockChildrenResponse',
  'AppendBlockChildrenParameters',
  'AppendBlockChildrenResponse',
  'UpdateBlockParameters',
  'UpdateBlockResponse',
  'DeleteBlockResponse',
  'GetDatabaseResponse',
  'GetDataSourceResponse',
  'QueryDataSourceParameters',
  'QueryDataSourceResponse',
  'ListCommentsResponse',
  'GetCommentResponse',
  'CreateCommentParameters',
  'CreateCommentResponse',
  'UpdateCommentParameters',
  'UpdateCommentResponse',
  'ListUsersResponse',
  'GetUserResponse',
] as const;
export type SchemaName = (typeof SCHEMA_NAMES)[number];

export interface SchemaFile {
  requests: Definitions;
  responses: Definitions;
}

type Definitions = Record<string, unknown>;

export const SCHEMAS_FILE = fileURLToPath(new URL('./schemas.json.gz', import.meta.url));

/** Compiles a schema when it is first needed: the largest takes a good part of a second. */
export class Schemas {
  private readonly ajv: Ajv;
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor() {
    this.ajv = new Ajv({ strict: false, allErrors: false, discriminator: false });
    const file = JSON.parse(gunzipSync(readFileSync(SCHEMAS_FILE)).toString()) as SchemaFile;
    this.ajv.addSchema({ $id: 'requests', definitions: file.requests });
    this.ajv.addSchema({ $id: 'responses', definitions: file.responses });
    this.ajv.addSchema({ $id: 'blockless', definitions: withoutBlocks(file.requests) });
  }

  /** What is wrong with a value, in one sentence; null when nothing is. */
  problem(name: SchemaName, value: unknown): string | null {
    const small = name === 'CreatePageParameters' && !hasBlocks(value);
    const root = name.endsWith('Response') ? 'responses' : small ? 'blockless' : 'requests';
    const ref = `${root}#/definitions/${name}`;
    let validate = this.compiled.get(ref);
    if (validate === undefined) {
      validate = this.ajv.compile({ $ref: ref });
      this.compiled.set(ref, validate);
    }
    if (validate(value)) return null;
    // Of a union every branch complains: those that came furthest say what is meant.
    const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length;
    const deepest = Math.max(...(validate.errors ?? []).map(depth));
    const telling = (validate.errors ?? []).filter((error) => depth(error) === deepest);
    return telling.slice(0, 3).map(sentence).join(' ');
  }
}

/** The schema of every block, twice, takes 5 s to compile: a page made without any is spared it. */
function withoutBlocks(definitions: Definitions): Definitions {
  const create = definitions['CreatePageParameters'] as { properties: Record<string, unknown> };
  const { children: _, content: __, ...properties } = create.properties;
  return { ...definitions, CreatePageParameters: { ...create, properties } };
}

function hasBlocks(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('children' in value || 'content' in value);
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const where = `body${instancePath.replaceAll('/', '.')}`;
  return `${where} ${message ?? 'is wrong'} ${JSON.stringify(params)}.`;
}
