/** The format as it is written down. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/session/line.ts';
import { sessionJsonSchema } from '../../src/session/schema.ts';
import { testWorld } from '../world/harness.ts';
import { linesOf } from './support.ts';

const doc = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

test('docs/session.schema.json is what the code checks', () => {
  expect(JSON.parse(doc('session.schema.json'))).toEqual(
    JSON.parse(JSON.stringify(sessionJsonSchema())),
  );
});

test('C JSONL: every line of a session, and every line of the example in docs/session.md, fits the schema', async () => {
  const world = testWorld();
  await world.exec('echo x > f; seq 20000');
  world.session.travel(world.session.entries()[0]?.id ?? null, { summary: 'left' });
  world.session.label(world.session.leaf ?? '', 'here');
  const example = /```jsonl\n(.*?)```/s.exec(doc('session.md'))?.[1]?.trimEnd().split('\n') ?? [];
  expect(example.length).toBeGreaterThan(3);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(sessionJsonSchema());
  for (const line of [...linesOf(world.session.file), ...example])
    expect(validate(JSON.parse(line)), line).toBe(true);
  let prev: string | undefined;
  for (const line of example) {
    const { hash, prev: before } = JSON.parse(line);
    expect(sha256(`${line.slice(0, -75)}}`)).toBe(hash);
    expect(before).toBe(prev);
    prev = hash;
  }
});
