/** Many generated edits, and the schemas as the installed client has them. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { generateSchemas } from '../../test/stand-ins/notion/generate-schemas.ts';
import { SCHEMAS_FILE } from '../../test/stand-ins/notion/schemas.ts';
import { Workbench } from './testing.ts';
import { checkEdits } from './testing-edits.ts';

it('of 500 generated edits the invalid ones send nothing, the valid ones change their field alone', async () => {
  await using workbench = await Workbench.start();
  const { valid, invalid } = await checkEdits(workbench, 500);
  expect(Math.min(valid, invalid)).toBeGreaterThan(150);
}, 240_000);

it('the kept schemas are those of the installed client', () => {
  const kept = JSON.parse(gunzipSync(readFileSync(SCHEMAS_FILE)).toString());
  expect(kept).toEqual(JSON.parse(JSON.stringify(generateSchemas())));
}, 60_000);
