/** Tasks as an agent does them: by shell, from what the mounts say of themselves, checked in the stores. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { World } from '../../entry/index.ts';
import { closeServices, type Services, startServices } from './services.ts';
import { TASKS } from './table.ts';
import { openWorld, runTask } from './task.ts';

describe('tasks over three services', () => {
  let services: Services | undefined;
  let reader: World | undefined;

  beforeAll(async () => {
    services = await startServices();
    reader = openWorld(services, 'rw');
  }, 60_000);

  afterAll(async () => {
    await reader?.close();
    if (services !== undefined) await closeServices(services);
  });

  test('there are thirty and more, no two of one name', () => {
    expect(TASKS.length).toBeGreaterThanOrEqual(30);
    expect(new Set(TASKS.map(({ name }) => name)).size).toBe(TASKS.length);
  });

  // Starting a world costs more than most tasks, so those that change nothing share one.
  test.each(TASKS)('$name', { timeout: 60_000 }, async (task) => {
    assert(services !== undefined);
    const { cost } = await runTask(task, services, task.changesNothing ? reader : undefined);
    expect(cost.commands).toBeGreaterThan(0);
    if (cost.requests === 0) expect(cost.bytes).toBe(0);
  });
});
