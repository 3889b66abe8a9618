/**
 * A world in the test's own thread: the same shell, namespace, mounts and shims
 * as in a worker, without the third of a second that a worker takes. For tests
 * that need a fresh world for each of hundreds of commands.
 */
import { dirname } from 'node:path';
import { MemoryTree } from '../../src/memory-tree/tree.ts';
import type { HostPrograms } from '../../src/shell/host-programs.ts';
import { type Assembly, assembleWorld } from '../../src/world/assembly.ts';
import type { MountSpec, SourceSpec, WorldSpec } from '../../src/world/protocol.ts';

/** Far above what any command takes that ends at all: a busy machine is no failure. */
const DEADLINE_MS = 60_000;

/** Text in, text out. */
export interface Answer {
  stdout: string;
  stderr: string;
  exitCode: number;
}

export interface InProcessWorld extends Assembly {
  run(command: string): Promise<Answer>;
}

export interface InProcessOptions {
  /** Writable directories in memory, each a mount. */
  roots: readonly string[];
  /** Content by absolute path, below one of the roots. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  cwd: string;
  env?: Record<string, string>;
  /** Is there `python3`? */
  python?: boolean;
  /** Is there `node`? */
  node?: boolean;
  /** Hosts that commands may ask. */
  network?: readonly string[];
  /** The programs of the host that `run` knows, and what runs them. */
  hostPrograms?: readonly string[];
  runProgram?: HostPrograms['run'];
}

/** Makes one. Nothing needs to be closed. */
export async function inProcessWorld(options: InProcessOptions): Promise<InProcessWorld> {
  const files = Object.entries(options.files ?? {});
  const memory = (point: string): SourceSpec => ({
    kind: 'memory',
    initial: [
      ...treeOf(files.filter(([path]) => path.startsWith(`${point}/`)).map(below(point))).dump(),
    ],
  });
  const mount = (point: string, source: SourceSpec, mode: 'ro' | 'rw' = 'rw'): MountSpec => ({
    point,
    source,
    access: { mode },
    searchable: false,
  });
  const spec: WorldSpec = {
    mounts: [
      mount('/', { kind: 'memory', initial: [] }, 'ro'),
      mount('/bin', { kind: 'bin' }, 'ro'),
      mount('/usr/bin', { kind: 'bin' }, 'ro'),
      mount('/dev', { kind: 'dev' }),
      mount('/tmp', memory('/tmp')),
      ...options.roots.map((point) => mount(point, memory(point))),
    ],
    cwd: options.cwd,
    env: options.env ?? {},
    operationTimeoutMs: 10_000,
    sessions: '/nowhere',
    state: null,
    shell: null,
    session: '',
    policy: { file: 'policy.yaml', text: '', isDefault: true },
    hooks: null,
    programs: {
      python: options.python === true,
      node: options.node === true,
      host: options.hostPrograms !== undefined,
    },
    network: options.network ?? [],
    hostPrograms: options.hostPrograms ?? [],
  };
  const { runProgram } = options;
  const ignore = () => undefined;
  const assembly = await assembleWorld(spec, {
    onMemoryChange: ignore,
    onChange: ignore,
    onNotice: ignore,
    onStep: ignore,
    onParked: ignore,
    ...(runProgram === undefined ? {} : { runProgram }),
  });
  return {
    ...assembly,
    async run(command) {
      const { stdout, stderr, exitCode } = await assembly.shell.exec(command, {
        deadlineMs: DEADLINE_MS,
      });
      return { stdout: text(stdout), stderr: text(stderr), exitCode };
    },
  };
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const below =
  (point: string) =>
  ([path, content]: [string, string | Uint8Array]): [string, Uint8Array] => [
    path.slice(point.length),
    typeof content === 'string' ? Buffer.from(content) : content,
  ];

/** A tree with these files and the directories they need. */
function treeOf(files: readonly [path: string, content: Uint8Array][]): MemoryTree {
  const tree = new MemoryTree();
  const made = new Set(['/']);
  const at = Date.now();
  const makeDirectory = (path: string): void => {
    if (made.has(path)) return;
    makeDirectory(dirname(path));
    tree.apply({ op: 'mkdir', path, at });
    made.add(path);
  };
  for (const [path, data] of files) {
    makeDirectory(dirname(path));
    tree.apply({ op: 'write', path, data, at });
  }
  return tree;
}
