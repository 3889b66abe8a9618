/** What the conformance tests share: namespaces over given mounts, errors as values, trees as text. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskMount } from '../../src/disk/mount.ts';
import { FsError } from '../../src/errors.ts';
import type { Mount } from '../../src/mount/contract/contract.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import { MountTable } from '../../src/namespace/table.ts';
import { type Access, createModeGate } from '../../src/policy/gate.ts';

/** A mount point, what is mounted there, and what it allows. */
export type Row = readonly [point: string, mount: Mount, access?: Access];

/** A namespace of its own over mounts. */
export function namespaceOver(rows: readonly Row[], timeoutMs = 2_000): Namespace {
  const table = new MountTable();
  for (const [point, mount, access] of rows)
    table.attach({ point, mount, access: access ?? { mode: 'rw' }, searchable: false });
  const gate = createModeGate((point) => table.at(point)?.access);
  return new Namespace({ table, gate, origin: 'shell', timeoutMs });
}

/** The failure of an operation that must fail. */
export async function failure(operation: Promise<unknown>): Promise<FsError> {
  try {
    await operation;
  } catch (error) {
    if (error instanceof FsError) return error;
    throw error;
  }
  throw new Error('the operation succeeded, and should have failed');
}

/** The errno of an operation; `ok` when it succeeds. */
export async function outcome(operation: Promise<unknown>): Promise<string> {
  try {
    await operation;
    return 'ok';
  } catch (error) {
    if (error instanceof FsError) return error.code;
    throw error;
  }
}

/** Every entry below a directory with its type, mode and content, one line each, links not followed. */
export async function treeOf(fs: Namespace, root: string): Promise<string[]> {
  const lines: string[] = [];
  const visit = async (path: string): Promise<void> => {
    const stat = await fs.lstat(path);
    const mode = stat.mode.toString(8);
    if (stat.isSymbolicLink) lines.push(`${path} -> ${await fs.readlink(path)}`);
    else if (stat.isFile) {
      const bytes = Buffer.from(await fs.readFileBuffer(path)).toString('latin1');
      // What a service's README tells of its freshness and cost, reading it changes.
      const [lasting = ''] = bytes.split(/^## (?:How fresh it is|What it cost so far)$/m);
      lines.push(`${path} ${mode} ${JSON.stringify(lasting)}`);
    } else {
      lines.push(`${path}/ ${mode}`);
      for (const name of await fs.readdir(path))
        await visit(path === '/' ? `/${name}` : `${path}/${name}`);
    }
  };
  await visit(root);
  return lines;
}

/** A directory of the host for one test, and how it goes away. */
export interface HostDirectory {
  path: string;
  remove(): void;
}

export function hostDirectory(): HostDirectory {
  const path = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'dirigent-conformance-')));
  return { path, remove: () => fs.rmSync(path, { recursive: true, force: true }) };
}

/** A disk mount over a directory of its own. */
export function diskMount(hidden: readonly string[] = []): {
  mount: DiskMount;
  directory: HostDirectory;
} {
  const directory = hostDirectory();
  return {
    mount: new DiskMount({
      root: directory.path,
      hidden: hidden.map((name) => join(directory.path, name)),
    }),
    directory,
  };
}

/** README.md tells what the mount cost so far: asking changes it, and nothing else. */
export function withoutCost(mount: Mount): Mount {
  const read = async (path: string): Promise<Uint8Array> => {
    const bytes = await mount.read(path);
    const text = Buffer.from(bytes).toString();
    return path === '/README.md' ? Buffer.from(text.replace(/\d+ requests.*/, '')) : bytes;
  };
  return new Proxy(mount, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'read') return read;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
