/**
 * Lists without the rows that are none. The client would take one such row for a fault of the whole
 * list; a server with one bad tool has others that are good.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { promptSchema, resourceSchema, templateSchema, toolSchema } from './schemas.ts';

const ROWS = {
  tools: toolSchema,
  resources: resourceSchema,
  resourceTemplates: templateSchema,
  prompts: promptSchema,
} as const;

const resultSchema = z.object({ result: z.record(z.string(), z.unknown()) });

/**
 * Looks at what comes before the client does.
 * @param onLeft told how many rows of a list were left out
 */
export function withUsableRows(transport: Transport, onLeft: (count: number) => void): Transport {
  return new Proxy(transport, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' && name !== 'onmessage' ? value.bind(target) : value;
    },
    set: (target, name, value) => {
      if (name !== 'onmessage') return Reflect.set(target, name, value, target);
      const next = value as Transport['onmessage'];
      target.onmessage = next && ((message, extra) => next(usable(message, onLeft), extra));
      return true;
    },
  });
}

function usable<M extends JSONRPCMessage>(message: M, onLeft: (count: number) => void): M {
  const { data } = resultSchema.safeParse(message);
  if (data === undefined) return message;
  const result = { ...data.result };
  for (const [name, schema] of Object.entries(ROWS)) {
    const rows = result[name];
    if (!Array.isArray(rows)) continue;
    const good = rows.flatMap((row) => {
      const parsed = schema.safeParse(row);
      // A title of a wrong type is no reason to leave out what it is the title of.
      return parsed.success ? [withoutUndefined(parsed.data)] : [];
    });
    if (good.length < rows.length) onLeft(rows.length - good.length);
    result[name] = good;
  }
  return { ...message, result } as M;
}

const withoutUndefined = (row: object): object =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
