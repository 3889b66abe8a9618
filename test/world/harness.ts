/** Worlds for tests, in directories of their own that are gone afterwards. */
import { onTestFinished } from 'vitest';
import { createWorld, type World, type WorldConfig, type WorldOptions } from '../../entry/index.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

export { temporaryDirectory };

/** A world that is closed when the test ends. */
export function testWorld(config: WorldConfig = {}, options: WorldOptions = {}): World {
  const state = config.state ?? temporaryDirectory();
  const world = createWorld({ ...config, state }, options);
  onTestFinished(() => world.close());
  return world;
}
