/** What a task that writes must have done: these records made, these fields changed, and nothing else. */
import assert from 'node:assert/strict';
import type { Fields, Records } from './services.ts';
import { allWell, type TaskResult } from './task.ts';

export interface Written {
  /** For each new record a pattern of its name, and the fields that it must have. */
  created?: readonly (readonly [name: RegExp, fields: Fields])[];
  /** Exactly the records and fields that differ. */
  changed?: Records;
  removed?: readonly string[];
}

/** Every line went well, and the stores differ by exactly this. */
export function wrote(result: TaskResult, written: Written): void {
  allWell(result);
  differs(result, written);
}

/** The stores differ by exactly this. */
export function differs({ difference }: TaskResult, written: Written): void {
  const { created = [], changed = {}, removed = [] } = written;
  assert.deepEqual(difference.changed, changed);
  assert.deepEqual(difference.removed, removed);
  const left = [...difference.created];
  for (const [name, fields] of created) {
    const at = left.findIndex((each) => name.test(each.record) && has(each.fields, fields));
    assert(at >= 0, `no new ${name} with ${JSON.stringify(fields)} in ${JSON.stringify(left)}`);
    left.splice(at, 1);
  }
  assert.deepEqual(left, []);
}

function has(fields: Fields, wanted: Fields): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => JSON.stringify(fields[name]) === JSON.stringify(value),
  );
}
