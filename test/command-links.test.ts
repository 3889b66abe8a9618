/** Links to the commands of /bin, and copies of them, are those commands: as files they hold no more than a name. */
import { expect, test } from 'vitest';
import { inProcessWorld } from './world/in-process.ts';

test('a link to a command is that command, wherever it lies, and so is a copy', async () => {
  const world = await inProcessWorld({ roots: ['/data'], cwd: '/data' });
  const answer = await world.run(
    "ln -s /bin/echo e; ln -s e f; ln -s /bin/bash b; cp /bin/tr tr; ./e 1; ./f 2; echo x | ./tr x 3; ./b -c 'echo $0 $_'; ./b <<< 'echo $0'; env ./e 4; PATH=$PWD:$PATH; e 5; echo x | tr x 6; (exec ./e 7); bash ./e",
  );
  expect(answer).toMatchObject({
    stdout: '1\n2\n3\n./b ./b\n./b\n4\n5\n6\n7\n',
    stderr: './e: ./e: cannot execute binary file\n',
    exitCode: 126,
  });
});
