/**
 * Makes `schemas.json.gz`: the JSON Schemas of the requests and responses that the stand-in knows,
 * from the types of `@notionhq/client`. Run it after an update of the client:
 *
 *     node test/stand-ins/notion/generate-schemas.ts
 *
 * Generating takes some 4 s, which is why the result is kept; a test tells when it is out of date.
 */

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createGenerator } from 'ts-json-schema-generator';
import { SCHEMA_NAMES, SCHEMAS_FILE, type SchemaFile } from './schemas.ts';

/** The schemas as they follow from the installed client. */
export function generateSchemas(): SchemaFile {
  const main = createRequire(import.meta.url).resolve('@notionhq/client');
  const types = join(dirname(main), 'api-endpoints', '*.d.ts');
  const definitions = (additionalProperties: boolean): Record<string, unknown> => {
    const generator = createGenerator({
      path: types,
      skipTypeCheck: true,
      topRef: true,
      additionalProperties,
    });
    const names = SCHEMA_NAMES.filter((name) => name.endsWith('Response') === additionalProperties);
    return Object.assign({}, ...names.map((name) => generator.createSchema(name).definitions));
  };
  // Responses may hold more than the client knows of (`has_more` of a relation does); requests may not.
  return { requests: definitions(false), responses: definitions(true) };
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(SCHEMAS_FILE, gzipSync(JSON.stringify(generateSchemas()), { level: 9 }));
}
