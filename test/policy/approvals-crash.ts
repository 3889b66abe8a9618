/** A process that asks for an approval, and waits; the test kills it. */
import { createWorld } from '../../entry/index.ts';

const [deployment = ''] = process.argv.slice(2);
const world = createWorld(
  { mounts: { '/mnt/docs': './docs:rw' } },
  {
    deployment,
    onApproval: ({ id, state }) => {
      if (state === 'pending') process.stdout.write(`${id}\n`);
    },
  },
);
await world.exec('printf new >> /mnt/docs/a.md', { context: { actor: 'assistant' } });
