/**
 * Makes `openapi.json.gz`: what GitHub's own OpenAPI description says of the operations that the
 * mount uses, from the package `@octokit/openapi`. That is too large to be installed with the
 * others (200 MB), so it is fetched into a directory that goes away. Run it for another version:
 *
 *     node test/stand-ins/github/generate-openapi.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { OPENAPI_FILE, OPERATIONS, type OpenapiFile, openapiSchema } from './openapi.ts';

const VERSION = '23.0.2';

const content = z.looseObject({
  content: z.record(z.string(), z.looseObject({ schema: z.unknown() })).optional(),
});
const description = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        parameters: z.array(z.unknown()).optional(),
        requestBody: content.optional(),
        responses: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  ),
  components: z.record(z.string(), z.record(z.string(), z.unknown())),
});
type Description = z.infer<typeof description>;

/** What explains, and what only this format knows: no part of what is right and wrong. */
const DROPPED = new Set(['description', 'example', 'examples', 'externalDocs', 'title', 'default']);

/**
 * A schema as JSON Schema has it. Of several forms more than one may fit: their descriptions tell
 * them apart, their schemas do not.
 */
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, properties, ...rest } = value as Record<string, unknown>;
  const kept: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(rest)) {
    if (DROPPED.has(key) || key.startsWith('x-')) continue;
    kept[key === 'oneOf' ? 'anyOf' : key] = pruned(one);
  }
  if (typeof properties === 'object' && properties !== null) {
    const fields = Object.entries(properties).map(([name, one]) => [name, pruned(one)]);
    kept['properties'] = Object.fromEntries(fields);
  }
  return nullable === true ? { anyOf: [{ type: 'null' }, kept] } : kept;
}

const referenceSchema = z.looseObject({ $ref: z.string() });

/** What a reference to a component stands for; anything else as it is. */
function resolved(all: Description, value: unknown): unknown {
  const { $ref } = referenceSchema.safeParse(value).data ?? {};
  if ($ref === undefined) return value;
  const [, , kind = '', name = ''] = $ref.split('/');
  return all.components[kind]?.[name];
}

function jsonOf(value: unknown): unknown {
  return content.parse(value ?? {}).content?.['application/json']?.schema;
}

function operation(all: Description, name: string): OpenapiFile['operations'][string] {
  const [method = '', path = ''] = name.split(' ');
  const found = all.paths[path]?.[method.toLowerCase()];
  if (found === undefined) throw new Error(`the description has no ${name}`);
  const body = jsonOf(found.requestBody);
  const responses = Object.entries(found.responses ?? {}).map(([status, answer]) => [
    status,
    pruned(jsonOf(resolved(all, answer)) ?? null),
  ]);
  const parameters = (found.parameters ?? []).map((one) => resolved(all, one));
  return {
    parameters: z
      .array(z.looseObject({}))
      .parse(parameters)
      .map(
        ({ name: called, in: where, required, schema }) =>
          ({ name: called, in: where, required, schema: pruned(schema) }) as never,
      ),
    ...(body === undefined ? {} : { body: pruned(resolved(all, body)) }),
    responses: Object.fromEntries(responses) as Record<string, unknown>,
  };
}

/** The schemas that something names, and those that these name. */
function schemasOf(all: Description, used: unknown): Record<string, unknown> {
  const schemas: Record<string, unknown> = {};
  const waiting = [used];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    for (const [, name = ''] of JSON.stringify(one).matchAll(
      /"#\/components\/schemas\/([^"]+)"/g,
    )) {
      if (name in schemas) continue;
      schemas[name] = pruned(all.components['schemas']?.[name]);
      waiting.push(schemas[name]);
    }
  }
  return schemas;
}

function packed(): Description {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-openapi-'));
  try {
    const run = (command: string, args: string[]) =>
      execFileSync(command, args, { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
    run('npm', ['pack', '--silent', `@octokit/openapi@${VERSION}`]);
    const file = 'package/generated/api.github.com.json';
    run('tar', ['xzf', `octokit-openapi-${VERSION}.tgz`, file]);
    return description.parse(JSON.parse(readFileSync(join(directory, file), 'utf8')));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const all = packed();
const operations = Object.fromEntries(OPERATIONS.map((name) => [name, operation(all, name)]));
const schemas = schemasOf(all, operations);
const file = openapiSchema.parse({ version: VERSION, operations, schemas });
writeFileSync(OPENAPI_FILE, gzipSync(JSON.stringify(file), { level: 9 }));
console.info(`${OPERATIONS.length} operations, ${Object.keys(schemas).length} schemas`);
