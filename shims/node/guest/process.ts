/** `process`, as a script meets it. */
import type { Bag, Guest, Loose } from './loose.ts';

/** The one user of a world, as `id` tells it. */
const USER = 1000;

/** What a run is started with. */
export interface RunFacts {
  env: Record<string, string>;
  cwd: string;
  version: string;
  versions: Record<string, string>;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

export interface ProcessParts {
  process: Bag & { _exiting?: boolean; exitCode?: number };
  /** Where scripts are. */
  cwd(): string;
  /** Sets what every run has of its own. */
  begin(facts: RunFacts): void;
}

/** A process whose environment has texts alone, as the real one has. */
function environment(values: Record<string, string>): object {
  const text = (value: unknown): string => {
    if (typeof value === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
    return String(value);
  };
  return new Proxy(
    { ...values },
    {
      set: (target, name, value) => Reflect.set(target, name, text(value)),
      defineProperty: (target, name, descriptor) =>
        Reflect.defineProperty(target, name, { ...descriptor, value: text(descriptor.value) }),
    },
  );
}

export function makeProcess({ host }: Guest): ProcessParts {
  let directory = '/';
  let startedAt = 0;
  function Process(): void {
    return undefined;
  }
  Object.defineProperty(Process, 'name', { value: 'process' });
  const prototype = Object.create(Object.prototype, {
    constructor: { value: Process, configurable: true, writable: true },
  });
  const process = Object.create(prototype) as ProcessParts['process'];
  const elapsed = (): number => host('now') as number;
  const hrtime = (from?: [number, number]): [number, number] => {
    const total = elapsed();
    const seconds = Math.floor(total / 1000);
    const nanoseconds = Math.floor((total - seconds * 1000) * 1e6);
    if (from === undefined) return [seconds, nanoseconds];
    const difference = nanoseconds - from[1];
    return [
      seconds - from[0] - (difference < 0 ? 1 : 0),
      difference < 0 ? difference + 1e9 : difference,
    ];
  };
  hrtime.bigint = (): bigint => BigInt(Math.round(elapsed() * 1e6));
  const memory = (): Record<string, number> => ({
    rss: 67_108_864,
    heapTotal: 16_777_216,
    heapUsed: 8_388_608,
    external: 1_048_576,
    arrayBuffers: 16_384,
  });
  Object.assign(process, {
    title: 'node',
    arch: 'x64',
    platform: 'linux',
    release: { name: 'node', lts: 'Krypton' },
    argv: [],
    execArgv: [],
    env: {},
    pid: 2,
    ppid: 1,
    execPath: '/bin/node',
    debugPort: 9229,
    argv0: 'node',
    exitCode: undefined,
    _exiting: false,
    features: {
      inspector: false,
      debug: false,
      uv: true,
      ipv6: true,
      require_module: true,
      typescript: 'strip',
    },
    config: { target_defaults: {}, variables: {} },
    hrtime,
    uptime: () => (Date.now() - startedAt) / 1000,
    memoryUsage: Object.assign(memory, { rss: () => memory()['rss'] }),
    cpuUsage: () => ({ user: Math.round(elapsed() * 1000), system: 0 }),
    resourceUsage: () => ({
      userCPUTime: Math.round(elapsed() * 1000),
      systemCPUTime: 0,
      maxRSS: 65_536,
    }),
    cwd: () => directory,
    chdir(path: unknown) {
      directory = host('enterDirectory', directory, String(path)) as string;
    },
    umask: () => 0o022,
    getuid: () => USER,
    geteuid: () => USER,
    getgid: () => USER,
    getegid: () => USER,
    getgroups: () => [USER],
    binding() {
      throw new Error('No such module');
    },
    dlopen() {
      throw new Error('there are no native modules here');
    },
    abort() {
      host('exit', 134);
    },
    kill(pid: unknown, signal: unknown = 'SIGTERM') {
      if (Number(pid) !== process['pid']) throw noProcess();
      if (signal !== 0) host('exit', 143);
      return true;
    },
    reallyExit: (code: number) => host('exit', code),
    exit(code?: number) {
      if (code !== undefined) process.exitCode = code;
      if (process._exiting !== true) {
        process._exiting = true;
        (process as unknown as Loose)['emit']?.('exit', process.exitCode ?? 0);
      }
      host('exit', process.exitCode ?? 0);
    },
  });
  Object.defineProperty(process, 'exitCode', exitCode());
  return {
    process,
    cwd: () => directory,
    begin({ env, cwd, version, versions, startedAt: at }) {
      directory = cwd;
      startedAt = at;
      Object.assign(process, { env: environment(env), version, versions });
    },
  };
}

function noProcess(): Error {
  const error = new Error('kill ESRCH') as Error & Bag;
  return Object.assign(error, { errno: -3, code: 'ESRCH', syscall: 'kill' });
}

/** It takes whole numbers, and texts that are one. */
function exitCode(): PropertyDescriptor {
  let code: number | undefined;
  return {
    configurable: false,
    enumerable: true,
    get: () => code,
    set: (value: unknown) => {
      if (value === undefined || value === null) {
        code = undefined;
        return;
      }
      const number = typeof value === 'string' && value !== '' ? Number(value) : value;
      if (!Number.isInteger(number)) {
        const error = new TypeError(
          `The "code" argument must be of type number. Received ${typeof value}`,
        ) as Error & Bag;
        error['code'] = 'ERR_INVALID_ARG_TYPE';
        throw error;
      }
      code = Number(number);
    },
  };
}
