/** The page about the config names every setting that there is, and no other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sourceTable } from '../mounts/index.ts';
import { configSchema } from '../src/world/config.ts';

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'config.md'), 'utf8');

/** The settings in the first column of the tables below a heading. */
function named(section: string): string[] {
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
}

interface Shape {
  type?: string;
  properties?: Record<string, Shape>;
  anyOf?: Shape[];
  additionalProperties?: Shape | boolean;
}

/** `a.b` for each setting that holds no further settings of a fixed name. */
function settings(shape: Shape, path = ''): string[] {
  const { properties } = shape;
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([name, inner]) =>
    settings(inner, path === '' ? name : `${path}.${name}`),
  );
}

const shape = z.toJSONSchema(configSchema(sourceTable.settings), {
  io: 'input',
  unrepresentable: 'any',
}) as Shape;
const [world = '', mount = ''] = page.split('\n## A mount\n');

test('of a world', () => {
  expect(named(world).sort()).toEqual(settings(shape).sort());
});

test('of a mount', () => {
  const mounts = shape.properties?.['mounts']?.additionalProperties;
  const object = typeof mounts === 'object' ? mounts.anyOf?.find((each) => each.properties) : {};
  expect(named(mount).sort()).toEqual(Object.keys(object?.properties ?? {}).sort());
});
