/** Where conditions of commands turn over, they answer what the real ones of Debian 12 answered (edges.json). */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EDGES } from './edges.ts';
import { here } from './here.ts';
import type { Answer } from './native.ts';

const source = fileURLToPath(new URL('./edges.json', import.meta.url));
const recorded = JSON.parse(readFileSync(source, 'utf8')) as Record<string, Answer>;

test.each(Object.entries(EDGES))(
  '%s answers at its edges what the real one answered',
  async (_subject, scripts) => {
    for (const script of scripts) {
      const { answer, stderr } = await here(script);
      expect({ script, answer, stderr }).toEqual({ script, answer: recorded[script], stderr });
    }
  },
);
