/** `dirigent memory`: facts about mounts, derived again where their sources have changed. */
import type { Worker } from 'node:worker_threads';
import { visible, visibleName } from '../visible.ts';
import type { MemoryArguments } from './agent-options.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { Output } from './output.ts';
import { hostOf } from './run-turn.ts';

/** Runs `dirigent memory refresh`, and gives its exit status: 1 where a source could not be read. */
export async function runMemory(
  options: MemoryArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const world = await openWorld(options, installation, worker, output);
  const { openAgent } = await import('../agent/open-agent.ts');
  const agent = await openAgent(world, hostOf(options, output), world.agent);
  const { mount, sources, model } = options;
  const done = await agent.refreshMemory({
    sources,
    ...(mount === undefined ? {} : { mount }),
    ...(model === undefined ? {} : { model }),
  });
  if (options.json) await output.json(done);
  else if (done.length === 0) {
    await output.out(
      visible`no facts are kept; name a mount and files of it to derive them from\n`,
    );
  }
  for (const { source, state, facts, reason } of done) {
    if (state === 'failed')
      await output.err(
        visible`dirigent: ${visibleName(source)}: ${reason ?? ''}; its facts stay as they are\n`,
      );
    else if (!options.json)
      await output.out(
        visible`${state.padEnd(7)}  ${visibleName(source)}${state === 'derived' ? `  ${facts} facts` : ''}\n`,
      );
  }
  await agent.close();
  return done.some(({ state }) => state === 'failed') ? 1 : 0;
}
