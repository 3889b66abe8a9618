import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { EchoHost } from './testing.ts';

/** U stands for the address of the host, and HOST for the same without its scheme. */
type Answered = readonly [command: string, stdout: string, status: number];

// What curl 7.88 and wget 1.21 of Debian 12 answered.
const file = new URL('./requests.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as Answered[];

const host = new EchoHost();
let base = '';
let run: Awaited<ReturnType<typeof inProcessWorld>>['run'];
beforeAll(async () => {
  base = await host.listen();
  const files = { '/work/f': 'a b\nc\n', '/work/d/g': 'deep\n', '/work/w': '%{http_code}!\n' };
  const network = [base, 'http://127.0.0.1:1'];
  ({ run } = await inProcessWorld({ roots: ['/work'], files, cwd: '/work', env: {}, network }));
});
afterAll(() => host.close());

test.each(cases.map((one, index) => [...one, index] as const))(
  'a host is asked and answers as by the real program: %s',
  async (command, stdout, status, index) => {
    const bare = base.replace('http://', '');
    const asked = command.replaceAll(/(?<![\w-])U(?=[/?; ]|$)/g, base).replaceAll('HOST', bare);
    const place = `/work/case-${index}`;
    const ran = await run(`mkdir ${place}; cp -r f d w ${place}; (cd ${place}; ${asked}\n)`);
    const told = ran.stdout.replaceAll(base, 'U').replaceAll(bare, 'HOST');
    expect([told, ran.exitCode]).toEqual([stdout, status]);
  },
);
