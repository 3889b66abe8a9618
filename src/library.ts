/** `createWorld` as programs have it: with tools for a loop of their own. */
import type { ToolSet } from 'ai';
import type { SourceTable } from './sources/source.ts';
import type { WorldConfig } from './world/config.ts';
import {
  type World as BareWorld,
  createWorld as createBareWorld,
  type WorldOptions,
} from './world/world.ts';

/** A world, and its tools. */
export interface World extends BareWorld {
  /**
   * The tools `bash`, `read`, `write`, `edit` and `verify` for the AI SDK's `tools`, with
   * the session and the policy behind them.
   */
  tools(): Promise<ToolSet>;
}

/**
 * Makes a world. It runs nothing until the first call.
 * @param table what it can mount
 * @throws ConfigError naming each fault with its path in the config
 */
export function createWorld(
  table: SourceTable,
  config: WorldConfig = {},
  options: WorldOptions = {},
): World {
  const world = createBareWorld(table, config, options);
  return Object.assign(world, {
    tools: async (): Promise<ToolSet> => {
      // The AI SDK is loaded by whoever wants tools, and by nobody else.
      const [{ openAgent }, { aiTools }] = await Promise.all([
        import('./agent/open-agent.ts'),
        import('./agent/ai-tools.ts'),
      ]);
      const host = { base: options.deployment ?? process.cwd(), env: options.env ?? process.env };
      return aiTools(await (await openAgent(world, host)).surface());
    },
  });
}
