/** Tasks as an agent does them: by shell, from what the mounts say of themselves, checked in the stores. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeServices, type Services, startServices } from './services.ts';
import { TASKS } from './table.ts';
import { runTask } from './task.ts';

describe('tasks over three services', () => {
  let services: Services | undefined;

  beforeAll(async () => {
    services = await startServices();
  }, 60_000);

  afterAll(async () => {
    if (services !== undefined) await closeServices(services);
  });

  test('there are thirty and more, no two of one name', () => {
    expect(TASKS.length).toBeGreaterThanOrEqual(30);
    expect(new Set(TASKS.map(({ name }) => name)).size).toBe(TASKS.length);
  });

  test.each(TASKS)('$name', { timeout: 60_000 }, async (task) => {
    assert(services !== undefined);
    const { cost } = await runTask(task, services);
    expect(cost.commands).toBeGreaterThan(0);
    expect(cost.bytes > 0).toBe(cost.requests > 0);
  });
});
