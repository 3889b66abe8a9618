/** `os`: a world says the same wherever it runs. */
import type { Bag } from './loose.ts';

export function osModule(process: Bag, constants: Bag): Bag {
  const env = (): Record<string, string | undefined> =>
    process['env'] as Record<string, string | undefined>;
  const home = (): string => env()['HOME'] ?? '/';
  const gibibyte = 2 ** 30;
  return {
    EOL: '\n',
    arch: () => process['arch'],
    availableParallelism: () => 1,
    constants,
    cpus: () => [
      { model: 'unknown', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } },
    ],
    devNull: '/dev/null',
    endianness: () => 'LE',
    freemem: () => gibibyte,
    getPriority: () => 0,
    homedir: home,
    hostname: () => 'localhost',
    loadavg: () => [0, 0, 0],
    machine: () => 'x86_64',
    networkInterfaces: () => ({}),
    platform: () => 'linux',
    release: () => '6.1.0-dirigent',
    setPriority: () => undefined,
    tmpdir: () =>
      (env()['TMPDIR'] ?? env()['TMP'] ?? env()['TEMP'] ?? '/tmp').replace(/(?<=.)\/$/, ''),
    totalmem: () => gibibyte,
    type: () => 'Linux',
    uptime: () => (process['uptime'] as () => number)(),
    userInfo: () => ({
      uid: (process['getuid'] as () => number)(),
      gid: (process['getgid'] as () => number)(),
      username: env()['USER'] ?? 'user',
      homedir: home(),
      shell: '/bin/bash',
    }),
    version: () => '#1 SMP',
  };
}
