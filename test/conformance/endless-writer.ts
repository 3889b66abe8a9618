/** A process that replaces one file again and again, each time with another byte, until it is killed. */
import { DiskMount } from '../../src/disk/mount.ts';

const [root = '', path = '', size = '0'] = process.argv.slice(2);
const mount = new DiskMount({ root });
for (let round = 0; ; round++) {
  await mount.write(path, Buffer.alloc(Number(size), 97 + (round % 26)));
  if (round === 0) process.stdout.write('writing\n');
}
