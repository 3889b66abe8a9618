/**
 * The conformance suite that every mount runs through, by way of the namespace.
 * A mount says as data what it can do; what it cannot do must be refused with
 * the right errno, a rule and a sentence, and change nothing.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import type { Mode, Mount } from '../../src/mount/contract/contract.ts';
import type { Namespace } from '../../src/namespace/namespace.ts';
import { childOf } from '../../src/paths.ts';
import { describeLinks } from './suite-links.ts';
import { describeNames, describeWriting } from './suite-writing.ts';
import { failure, namespaceOver, outcome, treeOf } from './support.ts';

/** A mount made for one test. */
export interface MountUnderTest {
  mount: Mount;
  close?(): void | Promise<void>;
}

/** What is true of a mount. Paths are absolute in the mount; the samples are there when it is made. */
export interface Conformance {
  /** How it is attached. */
  mode: Mode;
  /** Can files be made and rewritten at any path, directories made, entries removed and renamed? */
  writable: boolean;
  /** Does it keep symbolic and hard links? */
  links: boolean;
  /** Does it keep permission bits and times? */
  attributes: boolean;
  samples: {
    /** A file that is not empty. */
    file: string;
    /** A directory that holds something. */
    directory: string;
    /** A path that is not there, in a directory that is. */
    missing: string;
  };
}

/** What a section of the suite is given. */
export interface Subject {
  /** The namespace; the mount is at {@link POINT}. */
  fs(): Namespace;
  /** A path of the mount in the namespace. */
  at(path: string): string;
}

/** Where the mount is. Beside it, `/` and `/other` are memory. */
const POINT = '/m';

/** Describes the tests of a mount. */
export function describeMountConformance(
  name: string,
  make: () => MountUnderTest | Promise<MountUnderTest>,
  truth: Conformance,
): void {
  describe(name, () => {
    let made: MountUnderTest;
    let fs: Namespace;
    beforeEach(async () => {
      made = await make();
      fs = namespaceOver([
        ['/', new MemoryMount()],
        ['/other', new MemoryMount()],
        [POINT, made.mount, { mode: truth.mode, advice: 'write elsewhere' }],
      ]);
    });
    afterEach(async () => {
      await made.mount.close?.();
      await made.close?.();
    });
    const subject: Subject = {
      fs: () => fs,
      at: (path) => (path === '/' ? POINT : POINT + path),
    };
    describeReading(subject, truth);
    describeRefusals(subject, truth);
    if (truth.writable && truth.mode === 'rw') {
      describeWriting(subject, truth);
      describeNames(subject);
      if (truth.links) describeLinks(subject);
    }
    if (truth.writable && truth.mode === 'append') describeAppending(subject, truth);
  });
}

function describeReading({ fs, at }: Subject, { samples }: Conformance): void {
  const file = at(samples.file);
  const directory = at(samples.directory);
  const missing = at(samples.missing);

  describe('reading', () => {
    it('what is missing is ENOENT to every question', async () => {
      for (const path of [missing, `${missing}/below`]) {
        expect(await outcome(fs().readFile(path)), path).toBe('ENOENT');
        expect(await outcome(fs().readFileBuffer(path)), path).toBe('ENOENT');
        expect(await outcome(fs().stat(path)), path).toBe('ENOENT');
        expect(await outcome(fs().lstat(path)), path).toBe('ENOENT');
        expect(await outcome(fs().readdir(path)), path).toBe('ENOENT');
        expect(await outcome(fs().readlink(path)), path).toBe('ENOENT');
        expect(await outcome(fs().realpath(path)), path).toBe('ENOENT');
        expect(await fs().exists(path), path).toBe(false);
        expect(fs().walk(path), path).toBeNull();
      }
      expect(fs().errorsSince(0)).toEqual([]);
    });

    it('an error names the caller’s path and begins with its errno', async () => {
      const error = await failure(fs().readFile(missing));
      expect(error.path).toBe(missing);
      expect(error.message).toMatch(/^ENOENT: no such file or directory, \w+ '/);
      expect(error.message).toContain(missing);
    });

    it('below a file is ENOTDIR, a file is no directory, a directory no file', async () => {
      expect(await outcome(fs().readFile(`${file}/below`))).toBe('ENOTDIR');
      expect(await outcome(fs().stat(`${file}/below`))).toBe('ENOTDIR');
      expect(await outcome(fs().readdir(file))).toBe('ENOTDIR');
      expect(await outcome(fs().readFile(directory))).toBe('EISDIR');
      expect(await outcome(fs().readFile(at('/')))).toBe('EISDIR');
      expect(await outcome(fs().readlink(file))).toBe('EINVAL');
      expect(await outcome(fs().readlink(directory))).toBe('EINVAL');
      expect(fs().walk(file)).toBeNull();
    });

    it('a NUL in a path is EINVAL, a path of 4,096 bytes ENAMETOOLONG', async () => {
      expect(await outcome(fs().readFile(`${file}\0`))).toBe('EINVAL');
      expect(await outcome(fs().stat(at(`/${'d/'.repeat(2_100)}`)))).toBe('ENAMETOOLONG');
    });

    it('what a listing says of an entry, its stat says too, everywhere', async () => {
      const visit = async (path: string): Promise<void> => {
        const rows = await fs().readdirWithFileTypes(path);
        expect(rows.map((row) => row.name)).toEqual(await fs().readdir(path));
        expect(new Set(rows.map((row) => row.name)).size).toBe(rows.length);
        for (const { name, ...type } of rows) {
          const child = `${path}/${name}`;
          const { isFile, isDirectory, isSymbolicLink } = await fs().lstat(child);
          expect({ isFile, isDirectory, isSymbolicLink }, child).toEqual(type);
          if (isDirectory) await visit(child);
        }
      };
      await visit(at('/'));
    });

    it('the mount point is in the listing of its parent, and is a directory', async () => {
      expect(await fs().readdirWithFileTypes('/')).toContainEqual({
        name: 'm',
        isFile: false,
        isDirectory: true,
        isSymbolicLink: false,
      });
      expect((await fs().stat(at('/'))).isDirectory).toBe(true);
    });

    it('stat identity is stable, and differs between entries and between mounts', async () => {
      const seen = [...new Set([file, directory, at('/'), '/', '/other'])];
      const identities = await Promise.all(
        seen.map(async (path) => (await fs().stat(path)).identity),
      );
      expect(new Set(identities).size).toBe(seen.length);
      expect((await fs().stat(file)).identity).toBe(identities[0]);
    });

    it('size is that of the bytes once they were read, and mtime is a date', async () => {
      const bytes = await fs().readFileBuffer(file);
      expect(bytes.length).toBeGreaterThan(0);
      const stat = await fs().stat(file);
      expect(stat.size).toBe(bytes.length);
      expect(stat.mtime.getTime()).toBeGreaterThan(0);
      expect(stat.mode & 0o7777).toBe(stat.mode);
    });

    it('text, latin1 and bytes of a file are the same content', async () => {
      const bytes = Buffer.from(await fs().readFileBuffer(file));
      expect(await fs().readFile(file)).toBe(bytes.toString('utf8'));
      expect(await fs().readFile(file, 'binary')).toBe(bytes.toString('latin1'));
      expect(String(await fs().readFileBytes(file))).toBe(bytes.toString('latin1'));
    });

    it('walk finds exactly the files that listings find, in their order', async () => {
      const walked = fs().walk(at('/'));
      if (walked === null) return;
      const found: string[] = [];
      const visit = async (path: string): Promise<void> => {
        for (const row of await fs().readdirWithFileTypes(path)) {
          if (row.isDirectory) await visit(`${path}/${row.name}`);
          else if (row.isFile) found.push(`${path}/${row.name}`);
        }
      };
      await visit(at('/'));
      expect([...walked].map((each) => each.path)).toEqual(found);
    });

    it('a walk that is sifted keeps nothing back that is wanted, and changes no order', () => {
      const root = at('/');
      const all = [...(fs().walk(root) ?? [])].map(({ path }) => path);
      const closed = all
        .map((path) => path.slice(0, path.lastIndexOf('/')))
        .find((d) => d !== root);
      const isWanted = (path: string): boolean => path.length % 2 === 0;
      const sifted = fs().walk(root, {
        enters: (path) => path !== closed,
        wanted: ({ names }, path) =>
          names.flatMap((name, index) => (isWanted(childOf(path, name)) ? [index] : [])),
      });
      const given = [...(sifted ?? [])].map(({ path }) => path);
      expect(all.filter((path) => given.includes(path))).toEqual(given);
      const open = all.filter((path) => closed === undefined || !path.startsWith(`${closed}/`));
      expect(given).toEqual(expect.arrayContaining(open.filter(isWanted)));
    });

    it('realpath of what is there is the path, and `..` and `.` are taken out', async () => {
      expect(await fs().realpath(file)).toBe(file);
      const name = file.slice(file.lastIndexOf('/'));
      expect(await fs().realpath(`${file}/./..${name}`)).toBe(file);
    });

    it('mount points can be neither removed, renamed nor replaced', async () => {
      expect(await outcome(fs().rm(at('/'), { recursive: true, force: true }))).toBe('EBUSY');
      expect(await outcome(fs().rm(at('/')))).toBe('EBUSY');
      expect(await outcome(fs().mv(at('/'), '/elsewhere'))).toBe('EBUSY');
      expect(await outcome(fs().mv('/other', at('/')))).toBe('EBUSY');
      expect(await outcome(fs().mkdir(at('/')))).toBe('EEXIST');
      expect(await outcome(fs().mkdir(at('/'), { recursive: true }))).toBe('ok');
      expect(await outcome(fs().symlink('/other', at('/')))).toBe('EEXIST');
      expect(await outcome(fs().writeFile(at('/'), 'x'))).toBe('EISDIR');
      expect((await fs().readFileBuffer(file)).length).toBeGreaterThan(0);
    });
  });
}

/** Every mutator on what is there, by the mode of the mount or by what it lacks. */
function describeRefusals({ fs, at }: Subject, truth: Conformance): void {
  const file = at(truth.samples.file);
  const directory = at(truth.samples.directory);
  const missing = at(truth.samples.missing);
  const all: Record<string, () => Promise<unknown>> = {
    'writeFile over a file': () => fs().writeFile(file, 'x'),
    'rm of a file': () => fs().rm(file),
    'rm -f of a file': () => fs().rm(file, { force: true }),
    ...(truth.samples.directory === '/'
      ? {}
      : { 'rm -r of a directory': () => fs().rm(directory, { recursive: true }) }),
    'mv of a file within': () => fs().mv(file, missing),
    'mv of a file out': () => fs().mv(file, '/other/x'),
    'mv onto a file': async () => {
      await fs().writeFile('/other/source', 'x');
      await fs().mv('/other/source', file);
    },
    'cp onto a file': async () => {
      await fs().writeFile('/other/source', 'x');
      await fs().cp('/other/source', file);
    },
    'chmod of a file': () => fs().chmod(file, 0o600),
    'utimes of a file': () => fs().utimes(file, new Date(0), new Date(1_000)),
    'symlink in it': () => fs().symlink('x', missing),
    'link in it': () => fs().link(file, missing),
  };
  const creating: Record<string, () => Promise<unknown>> = {
    'writeFile of a new file': () => fs().writeFile(missing, 'x'),
    'an empty writeFile of a new file': () => fs().writeFile(missing, ''),
    'appendFile to a new file': () => fs().appendFile(missing, 'x'),
    'appendFile to a file': () => fs().appendFile(file, 'x'),
    'mkdir in it': () => fs().mkdir(missing),
    'mkdir -p in it': () => fs().mkdir(`${missing}/a/b`, { recursive: true }),
    'cp into it': () => fs().cp(file, missing),
  };
  const refused =
    truth.mode === 'ro' ? { ...all, ...creating } : truth.mode === 'append' ? all : {};
  describe.skipIf(Object.keys(refused).length === 0)(`what mode ${truth.mode} refuses`, () => {
    it.for(Object.entries(refused))(
      '%s is EACCES with rule and sentence, and changes nothing',
      async ([, act]) => {
        const before = await treeOf(fs(), at('/'));
        const mark = fs().errorMark();
        const error = await failure(act());
        expect(error.code).toBe('EACCES');
        expect(error.rule).toContain(`/m is mounted ${truth.mode}`);
        expect(error.reason).toContain('write elsewhere');
        expect(fs().errorsSince(mark)).toEqual([error]);
        await fs().flush();
        expect(await treeOf(fs(), at('/'))).toEqual(before);
      },
    );
  });

  if (truth.mode !== 'rw') return;
  const lacking: Record<string, () => Promise<unknown>> = {
    ...(truth.writable
      ? {}
      : { rename: all['mv of a file within'], mkdir: creating['mkdir in it'] }),
    ...(truth.links ? {} : { symlink: all['symlink in it'], link: all['link in it'] }),
    ...(truth.attributes ? {} : { chmod: all['chmod of a file'], utimes: all['utimes of a file'] }),
  };
  describe.skipIf(Object.keys(lacking).length === 0)('what the mount cannot do', () => {
    it.for(Object.entries(lacking))(
      '%s is EPERM or EACCES with rule and sentence',
      async ([, act]) => {
        const before = await treeOf(fs(), at('/'));
        const error = await failure(act());
        expect(['EPERM', 'EACCES']).toContain(error.code);
        expect(error.reason).toBeTruthy();
        expect(await treeOf(fs(), at('/'))).toEqual(before);
      },
    );
  });
}

function describeAppending({ fs, at }: Subject, { samples }: Conformance): void {
  const file = at(samples.file);
  const missing = at(samples.missing);
  describe('appending', () => {
    it('a new file can be made and added to, and then no more be rewritten', async () => {
      await fs().writeFile(missing, 'one\n');
      await fs().appendFile(missing, 'two\n');
      await fs().appendFile(file, '+');
      expect(await fs().readFile(missing)).toBe('one\ntwo\n');
      expect((await fs().readFile(file)).endsWith('+')).toBe(true);
      expect(await outcome(fs().writeFile(missing, 'three'))).toBe('EACCES');
      expect(await outcome(fs().writeFile(missing, ''))).toBe('EACCES');
      expect(await fs().readFile(missing)).toBe('one\ntwo\n');
    });

    it('a redirection makes a new file with two writes, and only once', async () => {
      await fs().writeFile(missing, '');
      await fs().writeFile(missing, 'data\n');
      expect(await outcome(fs().writeFile(missing, 'again\n'))).toBe('EACCES');
      await fs().flush();
      expect(await fs().readFile(missing)).toBe('data\n');
    });

    it('an empty file of an earlier command cannot be filled by writing', async () => {
      await fs().writeFile(missing, '');
      await fs().flush();
      expect(await outcome(fs().writeFile(missing, 'data'))).toBe('EACCES');
      await fs().appendFile(missing, 'data');
      expect(await fs().readFile(missing)).toBe('data');
    });

    it('directories can be made, and copies put into them', async () => {
      await fs().mkdir(`${missing}/a`, { recursive: true });
      await fs().writeFile('/other/run.sh', '#!', 'utf8');
      await fs().chmod('/other/run.sh', 0o755);
      await fs().cp('/other/run.sh', `${missing}/a/run.sh`);
      expect(await fs().readFile(`${missing}/a/run.sh`)).toBe('#!');
      expect(await outcome(fs().rm(missing, { recursive: true }))).toBe('EACCES');
    });
  });
}
