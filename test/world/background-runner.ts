/** A process with a world whose jobs write, for tests that kill it. */
import { createWorld } from '../../entry/index.ts';

const world = createWorld({ state: process.argv[2] ?? '' });
for (let turn = 0; ; turn++) {
  await world.exec('for i in 1 2 3; do echo $i >> log; done &');
  if (turn === 0) process.stdout.write(`${world.session.id}\n`);
  await world.exec('echo x >> other; sleep 0.1');
}
