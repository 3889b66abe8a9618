/** The mounts of this repository, each through the whole suite. */
import { readFile, writeFile } from 'node:fs/promises';
import { BufferedMount } from '../../src/disk/buffered.ts';
import type { Buffers } from '../../src/disk/buffers.ts';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import type { Mount } from '../../src/mount/contract/contract.ts';
import { StaticMount } from '../../src/system/index.ts';
import { type Conformance, describeMountConformance } from './mount-suite.ts';
import { diskMount } from './support.ts';

const SAMPLES = { file: '/sample/file', directory: '/sample', missing: '/sample/missing' };

const FULL: Conformance = {
  mode: 'rw',
  writable: true,
  links: true,
  attributes: true,
  samples: SAMPLES,
};

async function filled(mount: Mount): Promise<Mount> {
  await mount.mkdir?.('/sample');
  await mount.mkdir?.('/sample/sub');
  await mount.write?.('/sample/file', Buffer.from('sample é\n'));
  await mount.write?.('/sample/sub/other', Buffer.from('other\n'));
  await mount.symlink?.('file', '/sample/link');
  return mount;
}

const memory = async () => ({ mount: await filled(new MemoryMount()) });

/** The same memory, as a mount that waits for something outside. */
const remote = async () => {
  const mount = await filled(new MemoryMount());
  return {
    mount: new Proxy(mount, {
      get: (target, key) => (key === 'local' ? false : bound(target, key)),
    }),
  };
};

function bound(target: Mount, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key, target);
  return typeof value === 'function' ? value.bind(target) : value;
}

const disk = async () => {
  const { mount, directory } = diskMount();
  return { mount: await filled(mount), close: directory.remove };
};

/** The same disk, its texts by way of another program. */
const buffered = async () => {
  const { mount, directory } = diskMount();
  const onHost = (path: string): string => mount.directory + path;
  const buffers: Buffers = {
    reads: true,
    writes: true,
    read: (path) => readFile(onHost(path), 'utf8'),
    write: (path, text) => writeFile(onHost(path), text),
  };
  return { mount: await filled(new BufferedMount(mount, buffers)), close: directory.remove };
};

describeMountConformance('memory rw', memory, FULL);
describeMountConformance('memory ro', memory, { ...FULL, mode: 'ro' });
describeMountConformance('memory append', memory, { ...FULL, mode: 'append' });
describeMountConformance('remote rw', remote, FULL);
describeMountConformance('disk rw', disk, FULL);
describeMountConformance('disk ro', disk, { ...FULL, mode: 'ro' });
describeMountConformance('disk append', disk, { ...FULL, mode: 'append' });
describeMountConformance('buffered rw', buffered, FULL);
describeMountConformance(
  'static ro',
  () => ({
    mount: new StaticMount(
      'bin',
      new Map([
        ['ls', '#!\n'],
        ['cat', '#!\n'],
      ]),
    ),
  }),
  {
    mode: 'ro',
    writable: false,
    links: false,
    attributes: false,
    samples: { file: '/ls', directory: '/', missing: '/gone' },
  },
);
