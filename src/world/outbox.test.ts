import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OutboxRead, OutboxReader, type OutboxRecord, OutboxWriter } from './outbox.ts';

const output = fc.record({
  kind: fc.constantFrom('stdout' as const, 'stderr' as const),
  bytes: fc.oneof(
    fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
    fc.integer({ min: 0, max: 300_000 }).map((length) => 'y'.repeat(length)),
  ),
});
const memory = fc.record({
  kind: fc.constant('memory' as const),
  point: fc.constantFrom('/data', '/workspace'),
  change: fc.record({
    op: fc.constant('write' as const),
    path: fc.string(),
    data: fc.oneof(
      { weight: 40, arbitrary: fc.uint8Array({ maxLength: 2000 }) },
      // What has a memory of its own from a quarter of a megabyte on.
      fc.integer({ min: 262_143, max: 262_145 }).map((length) => new Uint8Array(length).fill(7)),
    ),
    at: fc.integer(),
  }),
});

describe('the outbox', () => {
  test('gives every record once, in order and whole, however often it is read', () => {
    const batches = fc.array(fc.array(fc.oneof(output, memory), { maxLength: 20 }), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(batches, fc.func(fc.boolean()), (all, readsAfter) => {
        const reader = new OutboxReader();
        const writer = new OutboxWriter((message) => {
          if (message.type === 'segment') reader.add(message);
        });
        const read: OutboxRead[] = [];
        for (const batch of all) {
          for (const record of batch) writer.put(record);
          if (readsAfter(batch)) read.push(...reader.read());
        }
        read.push(...reader.read());
        expect(read.map(comparable)).toEqual(all.flat().map(comparable));
      }),
      { numRuns: 25 },
    );
  });
});

function comparable(record: OutboxRecord | OutboxRead): unknown {
  if (record.kind === 'stdout' || record.kind === 'stderr') {
    const { kind, bytes } = record;
    const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1');
    return { kind, text };
  }
  if (record.kind !== 'memory' || record.change.op !== 'write') return record;
  return {
    ...record,
    change: { ...record.change, data: Buffer.from(record.change.data).toString('latin1') },
  };
}
