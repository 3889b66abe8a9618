/** Worlds for tests, in directories of their own that are gone afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createWorld, type World, type WorldConfig, type WorldOptions } from '../../entry/index.ts';

/** A directory that is removed when the test ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A world that is closed when the test ends. */
export function testWorld(config: WorldConfig = {}, options: WorldOptions = {}): World {
  const state = config.state ?? temporaryDirectory();
  const world = createWorld({ ...config, state }, options);
  onTestFinished(() => world.close());
  return world;
}
