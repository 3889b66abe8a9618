/** Operations that a person is asked about, each with what could be put in the place of what they were shown. */
import type { World } from '../../entry/index.ts';

type Files = World['fs'];

/** One operation on /mnt/docs, which asks. */
export interface Approved {
  name: string;
  /** Made by the host before: files by path, beside the files that every row has. */
  before?: (fs: Files) => Promise<void>;
  command: string;
  /** What the person sees of it. */
  shown: readonly string[];
  /** Commands with the same operations on the same paths, and another outcome. */
  others?: readonly string[];
  /** What the host, or a sibling, changes after the person has seen it. */
  swaps?: readonly ((fs: Files) => Promise<void>)[];
  /** It reads what it writes before anybody is asked: a swap while it waits is too late to matter. */
  readsAhead?: boolean;
  /** Shell that holds when it was done as it was shown. */
  done: string;
}

const EARLY = new Date('2001-02-03T04:05:06Z');

/** Every way to change something that the namespace has. /mnt/docs/a.md says "old", /workspace/f says "mine". */
export const APPROVED: readonly Approved[] = [
  {
    name: 'a write',
    command: 'echo new > /mnt/docs/a.md',
    shown: ['-old', '+new'],
    others: ['echo evil > /mnt/docs/a.md'],
    swaps: [(fs) => fs.writeFile('/mnt/docs/a.md', 'changed\n')],
    done: '[ "$(cat /mnt/docs/a.md)" = new ]',
  },
  {
    name: 'a new file',
    command: 'echo new > /mnt/docs/n.md',
    shown: ['+new'],
    others: ['echo evil > /mnt/docs/n.md', ': > /mnt/docs/n.md'],
    done: '[ "$(cat /mnt/docs/n.md)" = new ]',
  },
  {
    name: 'adding at the end',
    command: 'echo more >> /mnt/docs/a.md',
    shown: [' old', '+more'],
    others: ['echo evil >> /mnt/docs/a.md'],
    swaps: [(fs) => fs.writeFile('/mnt/docs/a.md', 'changed\n')],
    done: '[ "$(tail -n 1 /mnt/docs/a.md)" = more ]',
  },
  {
    name: 'truncating',
    command: ': > /mnt/docs/a.md',
    shown: ['-old'],
    swaps: [(fs) => fs.writeFile('/mnt/docs/a.md', 'changed\n')],
    done: '[ ! -s /mnt/docs/a.md ]',
  },
  {
    name: 'sed -i',
    command: 'sed -i s/old/new/ /mnt/docs/a.md',
    shown: ['-old', '+new'],
    others: ['sed -i s/old/evil/ /mnt/docs/a.md'],
    swaps: [(fs) => fs.writeFile('/mnt/docs/a.md', 'old\nmore\n')],
    done: '[ "$(cat /mnt/docs/a.md)" = new ]',
  },
  {
    name: 'a copy',
    command: 'cp /workspace/f /mnt/docs/c',
    readsAhead: true,
    shown: ['+mine'],
    swaps: [(fs) => fs.writeFile('/workspace/f', 'evil\n')],
    done: '[ "$(cat /mnt/docs/c)" = mine ]',
  },
  {
    name: 'a copy of what can be run',
    before: (fs) => fs.chmod('/workspace/f', 0o755),
    command: 'cp /workspace/f /mnt/docs/c',
    readsAhead: true,
    shown: ['+mine', '0755'],
    swaps: [(fs) => fs.chmod('/workspace/f', 0o777)],
    done: '[ -x /mnt/docs/c ]',
  },
  {
    name: 'a copy of a link',
    before: (fs) => fs.symlink('a.md', '/workspace/l'),
    command: 'cp -r /workspace/l /mnt/docs/l',
    readsAhead: true,
    shown: ['link /mnt/docs/l -> a.md'],
    swaps: [
      async (fs) => {
        await fs.rm('/workspace/l');
        await fs.symlink('/etc/passwd', '/workspace/l');
      },
    ],
    done: '[ "$(readlink /mnt/docs/l)" = a.md ]',
  },
  {
    name: 'a move over mounts',
    command: 'mv /workspace/f /mnt/docs/m',
    shown: ['move /workspace/f to /mnt/docs/m', '+mine'],
    swaps: [
      (fs) => fs.writeFile('/workspace/f', 'evil\n'),
      (fs) => fs.chmod('/workspace/f', 0o777),
      (fs) => fs.utimes('/workspace/f', EARLY, EARLY),
    ],
    done: '[ "$(cat /mnt/docs/m)" = mine ] && [ ! -e /workspace/f ]',
  },
  {
    name: 'a move over mounts onto a file',
    command: 'mv /workspace/f /mnt/docs/a.md',
    shown: ['-old', '+mine'],
    swaps: [
      (fs) => fs.writeFile('/workspace/f', 'evil\n'),
      (fs) => fs.writeFile('/mnt/docs/a.md', 'changed\n'),
    ],
    done: '[ "$(cat /mnt/docs/a.md)" = mine ]',
  },
  {
    name: 'a move over mounts onto a link',
    before: (fs) => fs.symlink('/workspace/elsewhere', '/mnt/docs/l'),
    command: 'mv -T /workspace/f /mnt/docs/l',
    shown: ['move /workspace/f to /mnt/docs/l', '+mine'],
    swaps: [
      async (fs) => {
        await fs.rm('/mnt/docs/l');
        await fs.symlink('/workspace/f', '/mnt/docs/l');
      },
    ],
    done: '[ ! -L /mnt/docs/l ] && [ "$(cat /mnt/docs/l)" = mine ]',
  },
  {
    name: 'a move away over mounts',
    command: 'mv /mnt/docs/a.md /workspace/a',
    shown: ['move /mnt/docs/a.md to /workspace/a', '+old'],
    swaps: [(fs) => fs.writeFile('/mnt/docs/a.md', 'changed\n')],
    done: '[ "$(cat /workspace/a)" = old ] && [ ! -e /mnt/docs/a.md ]',
  },
  {
    name: 'a move of a tree over mounts',
    before: async (fs) => {
      await fs.mkdir('/workspace/t/sub', { recursive: true });
      await fs.writeFile('/workspace/t/sub/x', 'one\n');
      await fs.symlink('x', '/workspace/t/sub/l');
    },
    command: 'mv /workspace/t /mnt/docs/t',
    shown: ['new directory /mnt/docs/t/sub', '+one', 'link /mnt/docs/t/sub/l -> x'],
    swaps: [
      (fs) => fs.writeFile('/workspace/t/sub/x', 'evil\n'),
      (fs) => fs.writeFile('/workspace/t/y', 'more\n'),
      async (fs) => {
        await fs.rm('/workspace/t/sub/l');
        await fs.symlink('/etc', '/workspace/t/sub/l');
      },
    ],
    done: '[ "$(cat /mnt/docs/t/sub/l)" = one ] && [ ! -e /workspace/t ]',
  },
  {
    name: 'a renaming',
    command: 'mv /mnt/docs/a.md /mnt/docs/b.md',
    shown: ['move /mnt/docs/a.md to /mnt/docs/b.md', '+old'],
    swaps: [(fs) => fs.writeFile('/mnt/docs/a.md', 'changed\n')],
    done: '[ "$(cat /mnt/docs/b.md)" = old ]',
  },
  {
    name: 'a renaming of a directory',
    before: async (fs) => {
      await fs.mkdir('/mnt/docs/d');
      await fs.writeFile('/mnt/docs/d/x', 'one\n');
    },
    command: 'mv /mnt/docs/d /mnt/docs/e',
    shown: ['move /mnt/docs/d to /mnt/docs/e', '+one'],
    swaps: [
      (fs) => fs.writeFile('/mnt/docs/d/x', 'evil\n'),
      (fs) => fs.writeFile('/mnt/docs/d/y', 'more\n'),
    ],
    done: '[ "$(cat /mnt/docs/e/x)" = one ]',
  },
  {
    name: 'a link',
    command: 'ln -s a.md /mnt/docs/l',
    shown: ['link /mnt/docs/l -> a.md'],
    others: ['ln -s /etc/passwd /mnt/docs/l'],
    done: '[ "$(readlink /mnt/docs/l)" = a.md ]',
  },
  {
    name: 'a second name',
    command: 'ln /mnt/docs/a.md /mnt/docs/h',
    shown: ['give /mnt/docs/a.md a second name', '+old'],
    swaps: [(fs) => fs.writeFile('/mnt/docs/a.md', 'changed\n')],
    done: '[ "$(cat /mnt/docs/h)" = old ]',
  },
  {
    name: 'a mode',
    command: 'chmod 600 /mnt/docs/a.md',
    shown: ['-> 0600'],
    others: ['chmod 777 /mnt/docs/a.md'],
    swaps: [
      (fs) => fs.chmod('/mnt/docs/a.md', 0o640),
      (fs) => fs.writeFile('/mnt/docs/a.md', 'changed\n'),
    ],
    done: '[ "$(stat -c %a /mnt/docs/a.md)" = 600 ]',
  },
  {
    name: 'a time',
    command: 'touch -d 2001-02-03T00:00:00Z /mnt/docs/a.md',
    shown: ['time of /mnt/docs/a.md: 2001-02-03T00:00:00.000Z'],
    others: ['touch -d 2031-02-03T00:00:00Z /mnt/docs/a.md', 'touch /mnt/docs/a.md'],
    done: 'find /mnt/docs/a.md -not -newer /workspace/f | grep -q a.md',
  },
  {
    name: 'the time as it is now',
    command: 'touch /mnt/docs/a.md',
    shown: ['time of /mnt/docs/a.md: now'],
    others: ['touch -d 2001-02-03T00:00:00Z /mnt/docs/a.md'],
    done: 'true',
  },
  {
    name: 'a directory',
    command: 'mkdir /mnt/docs/new',
    shown: ['new directory /mnt/docs/new'],
    done: '[ -d /mnt/docs/new ]',
  },
  {
    name: 'a removal',
    command: 'rm /mnt/docs/a.md',
    shown: ['remove file /mnt/docs/a.md (4 bytes)', '-old'],
    swaps: [(fs) => fs.writeFile('/mnt/docs/a.md', 'precious\n')],
    done: '[ ! -e /mnt/docs/a.md ]',
  },
  {
    name: 'the removal of a tree',
    before: async (fs) => {
      await fs.mkdir('/mnt/docs/d/sub', { recursive: true });
      await fs.writeFile('/mnt/docs/d/sub/x', 'one\n');
    },
    command: 'rm -r /mnt/docs/d',
    shown: ['remove file /mnt/docs/d/sub/x (4 bytes)', 'remove directory /mnt/docs/d'],
    swaps: [
      (fs) => fs.writeFile('/mnt/docs/d/sub/x', 'two\n'),
      (fs) => fs.writeFile('/mnt/docs/d/y', 'precious\n'),
    ],
    done: '[ ! -e /mnt/docs/d ]',
  },
];
