/**
 * Random operations, carried out by a namespace and, by node:fs, on a real
 * directory. After each one both must have had the same outcome, errno
 * included, and in the end both trees must be equal. One seed is one run.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Namespace } from '../../src/namespace/namespace.ts';
import { hostDirectory, outcome } from './support.ts';

const NAMES = ['a', 'b', 'c', 'd e', '-f', 'é'];
const MODES = [0o600, 0o644, 0o700, 0o755];

/** Where both paths of an operation lead nowhere, POSIX leaves open which of them is told. */
const UNFOUND: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** One step: what it is called, how the namespace does it, and how the host does. */
interface Step {
  name: string;
  paths?: 2;
  ours(): Promise<unknown>;
  host(): unknown;
}

/** Mulberry32: a small generator, the same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * Runs `count` steps.
 * @param root where the namespace works; the same tree is made in a directory of the host
 */
export async function compareWithHost(
  ours: Namespace,
  root: string,
  seed: number,
  count: number,
): Promise<void> {
  const directory = hostDirectory();
  try {
    // Far down, so that links with `..` never leave the tree that is compared.
    await ours.mkdir(root + DEEP, { recursive: true });
    fs.mkdirSync(directory.path + DEEP, { recursive: true });
    const make = steps(ours, root + DEEP, directory.path + DEEP, numbers(seed));
    for (let index = 0; index < count; index++) {
      const step = make();
      const found = await outcome(step.ours());
      const wanted = hostOutcome(step.host);
      if (step.paths === 2 && UNFOUND.has(found) && UNFOUND.has(wanted)) continue;
      expect(found, `seed ${seed}, step ${index}: ${step.name}`).toBe(wanted);
      if (index % 500 === 499)
        await compareTrees(ours, root, directory.path, `seed ${seed}, step ${index}`);
    }
    await compareTrees(ours, root, directory.path, `seed ${seed}, end`);
  } finally {
    directory.remove();
  }
}

function hostOutcome(operation: () => unknown): string {
  try {
    operation();
    return 'ok';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

function steps(
  ours: Namespace,
  root: string,
  host: string,
  below: (n: number) => number,
): () => Step {
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const path = (): string => Array.from({ length: 1 + below(3) }, () => `/${pick(NAMES)}`).join('');
  const bytes = (): Buffer => Buffer.from(Array.from({ length: below(40) }, () => below(256)));
  const target = (): string =>
    pick([
      () => path().slice(1),
      () => `../${path().slice(1)}`,
      () => `..${path()}/../${pick(NAMES)}`,
      () => `./${pick(NAMES)}/.`,
      () => `${ROOT}${path()}`,
    ])();
  const rmHost = (at: string): void => {
    if (fs.lstatSync(at).isDirectory()) fs.rmdirSync(at);
    else fs.unlinkSync(at);
  };
  const actions: (() => Step)[] = [
    () => {
      const [p, data] = [path(), bytes()];
      return {
        name: `write ${p}`,
        ours: () => ours.writeFile(root + p, data),
        host: () => fs.writeFileSync(host + p, data, { mode: 0o644 }),
      };
    },
    () => {
      const [p, data] = [path(), bytes()];
      return {
        name: `append ${p}`,
        ours: () => ours.appendFile(root + p, data),
        host: () => fs.appendFileSync(host + p, data, { mode: 0o644 }),
      };
    },
    () => {
      const p = path();
      return {
        name: `mkdir ${p}`,
        ours: () => ours.mkdir(root + p),
        host: () => fs.mkdirSync(host + p),
      };
    },
    () => {
      const p = path();
      return { name: `rm ${p}`, ours: () => ours.rm(root + p), host: () => rmHost(host + p) };
    },
    () => {
      const p = path();
      return {
        name: `rm -r ${p}`,
        ours: () => ours.rm(root + p, { recursive: true }),
        host: () => fs.rmSync(fs.lstatSync(host + p) && host + p, { recursive: true }),
      };
    },
    () => {
      const [p, q] = [path(), path()];
      return {
        name: `mv ${p} ${q}`,
        paths: 2,
        ours: () => ours.mv(root + p, root + q),
        host: () => fs.renameSync(host + p, host + q),
      };
    },
    () => {
      const [p, q] = [path(), path()];
      return {
        name: `ln ${p} ${q}`,
        paths: 2,
        ours: () => ours.link(root + p, root + q),
        host: () => fs.linkSync(host + p, host + q),
      };
    },
    () => {
      const [t, p] = [target(), path()];
      return {
        name: `ln -s ${t} ${p}`,
        ours: () => ours.symlink(t.replace(ROOT, root), root + p),
        host: () => fs.symlinkSync(t.replace(ROOT, host), host + p),
      };
    },
    () => {
      const [p, mode] = [path(), pick(MODES)];
      return {
        name: `chmod ${p}`,
        ours: () => ours.chmod(root + p, mode),
        host: () => fs.chmodSync(host + p, mode),
      };
    },
    () => {
      const [p, at] = [path(), new Date(1_000_000 * below(1_000))];
      return {
        name: `touch ${p}`,
        ours: () => ours.utimes(root + p, at, at),
        host: () => fs.utimesSync(host + p, at, at),
      };
    },
    () => {
      const [p, q] = [path(), path()];
      return {
        name: `cp ${p} ${q}`,
        paths: 2,
        ours: () => ours.cp(root + p, root + q),
        host: () => {
          const data = fs.readFileSync(
            fs.statSync(host + p).isDirectory() ? raise('EISDIR') : host + p,
          );
          fs.writeFileSync(host + q, data, { mode: fs.statSync(host + p).mode });
        },
      };
    },
    () => {
      const p = path();
      return {
        name: `read ${p}`,
        ours: () => ours.readFileBuffer(root + p),
        host: () => fs.readFileSync(host + p),
      };
    },
    () => {
      const p = path();
      return {
        name: `stat ${p}`,
        ours: () => ours.stat(root + p),
        host: () => fs.statSync(host + p),
      };
    },
    () => {
      const p = path();
      return {
        name: `ls ${p}`,
        ours: () => ours.readdir(root + p),
        host: () => fs.readdirSync(host + p),
      };
    },
    () => {
      const p = path();
      return {
        name: `readlink ${p}`,
        ours: () => ours.readlink(root + p),
        host: () => fs.readlinkSync(host + p),
      };
    },
    () => {
      const p = path();
      return {
        name: `realpath ${p}`,
        ours: async () =>
          expect(await ours.realpath(root + p)).toBe(
            fs.realpathSync.native(host + p).replace(top(host), top(root)),
          ),
        host: () => fs.realpathSync.native(host + p),
      };
    },
  ];
  // Making is more frequent than taking away, or the tree stays bare.
  const weights = [4, 2, 4, 2, 1, 4, 2, 3, 1, 1, 2, 1, 1, 1, 1, 1];
  const weighted = actions.flatMap((action, index) =>
    Array.from({ length: weights[index] ?? 1 }, () => action),
  );
  return () => pick(weighted)();
}

const DEEP = '/deep'.repeat(20);

/** Stands for the root of either tree in an absolute link. */
const ROOT = '<root>';

/** The directory far above which is compared. */
function top(deep: string): string {
  return deep.slice(0, -DEEP.length);
}

function raise(code: string): never {
  throw Object.assign(new Error(code), { code });
}

/** Types, bytes, targets, modes, times that were set, and which names are one file. */
async function compareTrees(
  ours: Namespace,
  root: string,
  host: string,
  when: string,
): Promise<void> {
  const left: string[] = [];
  const right: string[] = [];
  const files = new Map<string, string>();
  const inodes = new Map<string, string>();
  const visit = async (path: string): Promise<void> => {
    for (const name of await ours.readdir(path)) {
      const child = `${path}/${name}`;
      const stat = await ours.lstat(child);
      const shown = child.slice(root.length);
      const first = files.get(stat.identity ?? '') ?? shown;
      files.set(stat.identity ?? '', first);
      const mode = stat.mode.toString(8);
      if (stat.isSymbolicLink)
        left.push(`${shown} -> ${(await ours.readlink(child)).replace(root, ROOT)} = ${first}`);
      else if (stat.isDirectory) left.push(`${shown}/ ${mode}`);
      else
        left.push(
          `${shown} ${mode} ${stat.size} ${Buffer.from(await ours.readFileBuffer(child)).toString('hex')} = ${first}`,
        );
      if (stat.isDirectory) await visit(child);
    }
  };
  const visitHost = (path: string): void => {
    for (const name of fs.readdirSync(path).sort()) {
      const child = join(path, name);
      const stat = fs.lstatSync(child);
      const shown = child.slice(host.length);
      const first = inodes.get(`${stat.ino}`) ?? shown;
      inodes.set(`${stat.ino}`, first);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink())
        right.push(`${shown} -> ${fs.readlinkSync(child).replace(host, ROOT)} = ${first}`);
      else if (stat.isDirectory()) right.push(`${shown}/ ${mode}`);
      else
        right.push(
          `${shown} ${mode} ${stat.size} ${fs.readFileSync(child).toString('hex')} = ${first}`,
        );
      if (stat.isDirectory()) visitHost(child);
    }
  };
  await visit(root);
  visitHost(host);
  expect(left, when).toEqual(right);
}
