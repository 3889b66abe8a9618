/**
 * A small file system in memory with a Unix kernel's answers, for the tests of
 * the shims: they must not depend on the namespace that they are a part of.
 */
import type { FsStat } from 'just-bash';
import { type Errno, FsError } from '../../src/errors.ts';
import { WalkedFile } from '../../src/mount/contract/walked-file.ts';
import type { DirentEntry, NamespaceFs } from '../../src/namespace/types.ts';

interface Node {
  kind: 'file' | 'directory' | 'symlink';
  mode: number;
  mtime: Date;
  ino: number;
  data: Uint8Array;
  target: string;
  children: Map<string, Node>;
}

const LINK_LIMIT = 40;

/** Decides whether an operation on a path is refused: the test's way to make failures. */
export type Refusal = (op: string, path: string) => FsError | undefined;

function bytesOf(content: string | Uint8Array, options?: unknown): Uint8Array {
  if (typeof content !== 'string') return content.slice();
  const encoding = typeof options === 'string' ? options : readEncoding(options);
  return encoding === 'binary' || encoding === 'latin1'
    ? Buffer.from(content, 'latin1')
    : Buffer.from(content, 'utf8');
}

function readEncoding(options: unknown): string {
  if (typeof options !== 'object' || options === null) return 'utf8';
  const encoding: unknown = Reflect.get(options, 'encoding');
  return typeof encoding === 'string' ? encoding : 'utf8';
}

/** The test double. Errors are FsErrors; `refuse` injects more of them. */
export class DoubleFs implements NamespaceFs {
  refuse: Refusal = () => undefined;
  #ino = 1;
  #root = this.#node('directory', 0o755);
  readonly #errors: FsError[] = [];

  constructor(files: Record<string, string | Uint8Array> = {}) {
    for (const dir of ['/dev', '/tmp', '/bin', '/usr/bin']) this.seedDir(dir);
    this.seed('/dev/null', '');
    for (const [path, content] of Object.entries(files)) this.seed(path, content);
  }

  /** Puts a file there, with its parents, past all checks. */
  seed(path: string, content: string | Uint8Array): void {
    const parent = this.seedDir(path.slice(0, path.lastIndexOf('/')) || '/');
    const node = this.#node('file', 0o644);
    node.data = bytesOf(content);
    parent.children.set(path.slice(path.lastIndexOf('/') + 1), node);
  }

  /** Makes a directory and its parents, past all checks. */
  seedDir(path: string): Node {
    let at = this.#root;
    for (const part of path.split('/').filter(Boolean)) {
      let next = at.children.get(part);
      if (next === undefined) {
        next = this.#node('directory', 0o755);
        at.children.set(part, next);
      }
      at = next;
    }
    return at;
  }

  #node(kind: Node['kind'], mode: number): Node {
    return {
      kind,
      mode,
      mtime: new Date(),
      ino: this.#ino++,
      data: new Uint8Array(0),
      target: '',
      children: new Map(),
    };
  }

  #fail(code: Errno, op: string, path: string): never {
    const error = new FsError(code, { op, path });
    this.#errors.push(error);
    throw error;
  }

  #check(op: string, path: string): void {
    const error = this.refuse(op, path);
    if (error === undefined) return;
    this.#errors.push(error);
    throw error;
  }

  /** Follows a path; the last link too when `follow`. Gives the node and where it really is. */
  #walkTo(path: string, op: string, follow: boolean, hops = 0): { node: Node; real: string } {
    if (hops > LINK_LIMIT) this.#fail('ELOOP', op, path);
    let node = this.#root;
    let real = '';
    const parts = path.split('/').filter((part) => part !== '' && part !== '.');
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] ?? '';
      if (node.kind !== 'directory') this.#fail('ENOTDIR', op, path);
      if (part === '..') {
        real = real.slice(0, real.lastIndexOf('/'));
        node = this.#walkTo(real || '/', op, true).node;
        continue;
      }
      const next = node.children.get(part);
      if (next === undefined) this.#fail('ENOENT', op, path);
      const last = i === parts.length - 1;
      if (next.kind === 'symlink' && (!last || follow)) {
        const base = next.target.startsWith('/') ? next.target : `${real}/${next.target}`;
        const rest = parts.slice(i + 1).join('/');
        const to = rest === '' ? base : `${base}/${rest}`;
        return this.#walkTo(to, op, follow, hops + 1);
      }
      node = next;
      real = `${real}/${part}`;
    }
    return { node, real: real || '/' };
  }

  #parentOf(path: string, op: string): { dir: Node; name: string } {
    const clean = path.length > 1 ? path.replace(/\/+$/, '') : path;
    const name = clean.slice(clean.lastIndexOf('/') + 1);
    const dir = this.#walkTo(clean.slice(0, clean.lastIndexOf('/')) || '/', op, true).node;
    if (dir.kind !== 'directory') this.#fail('ENOTDIR', op, path);
    return { dir, name };
  }

  #lookup(path: string, op: string, follow = true): Node {
    this.#check(op, path);
    return this.#walkTo(path, op, follow).node;
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    const node = this.#lookup(path, 'open');
    if (node.kind === 'directory') this.#fail('EISDIR', 'read', path);
    return node.data;
  }

  async readFileBytes(path: string): Promise<never> {
    return Buffer.from(await this.readFileBuffer(path)).toString('latin1') as never;
  }

  async readFile(path: string, options?: unknown): Promise<string> {
    const data = Buffer.from(await this.readFileBuffer(path));
    const encoding = typeof options === 'string' ? options : readEncoding(options);
    return data.toString(encoding === 'binary' || encoding === 'latin1' ? 'latin1' : 'utf8');
  }

  #target(path: string): Node {
    const at = this.#linkEnd(path);
    const { dir, name } = this.#parentOf(at, 'open');
    const found = dir.children.get(name);
    if (found?.kind === 'directory' || name === '') this.#fail('EISDIR', 'open', path);
    if (found !== undefined) return found;
    const made = this.#node('file', 0o644);
    dir.children.set(name, made);
    return made;
  }

  #linkEnd(path: string): string {
    let at = path;
    for (let hops = 0; hops < LINK_LIMIT; hops++) {
      const { dir, name } = this.#parentOf(at, 'open');
      const node = dir.children.get(name);
      if (node?.kind !== 'symlink') return at;
      at = this.resolvePath(at.slice(0, at.lastIndexOf('/')) || '/', node.target);
    }
    return this.#fail('ELOOP', 'open', path);
  }

  async writeFile(path: string, content: string | Uint8Array, options?: unknown): Promise<void> {
    this.#check('open', path);
    if (path === '/dev/null') return;
    const node = this.#target(path);
    node.data = bytesOf(content, options);
    node.mtime = new Date();
  }

  async appendFile(path: string, content: string | Uint8Array, options?: unknown): Promise<void> {
    this.#check('open', path);
    if (path === '/dev/null') return;
    const node = this.#target(path);
    node.data = Buffer.concat([node.data, bytesOf(content, options)]);
    node.mtime = new Date();
  }

  async exists(path: string): Promise<boolean> {
    try {
      this.#walkTo(path, 'access', true);
      return true;
    } catch (error) {
      if (error instanceof FsError) return false;
      throw error;
    }
  }

  #stat(node: Node): FsStat {
    return {
      isFile: node.kind === 'file',
      isDirectory: node.kind === 'directory',
      isSymbolicLink: node.kind === 'symlink',
      mode: node.mode,
      size: node.kind === 'file' ? node.data.length : node.target.length,
      mtime: node.mtime,
      dev: 1,
      ino: node.ino,
      identity: `double:${node.ino}`,
    };
  }

  async stat(path: string): Promise<FsStat> {
    return this.#stat(this.#lookup(path, 'stat'));
  }

  async lstat(path: string): Promise<FsStat> {
    return this.#stat(this.#lookup(path, 'lstat', false));
  }

  /** just-bash makes its command stubs only where this is offered. */
  mkdirSync(path: string): void {
    this.seedDir(path);
  }

  /** See {@link mkdirSync}. */
  writeFileSync(path: string, content: string | Uint8Array): void {
    this.seed(path, content);
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    this.#check('mkdir', path);
    if (options?.recursive === true) {
      const node = this.seedDir(path);
      if (node.kind !== 'directory') this.#fail('EEXIST', 'mkdir', path);
      return;
    }
    const { dir, name } = this.#parentOf(path, 'mkdir');
    if (name === '' || dir.children.has(name)) this.#fail('EEXIST', 'mkdir', path);
    dir.children.set(name, this.#node('directory', 0o755));
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map((entry) => entry.name);
  }

  async readdirWithFileTypes(path: string): Promise<DirentEntry[]> {
    const node = this.#lookup(path, 'scandir');
    if (node.kind !== 'directory') this.#fail('ENOTDIR', 'scandir', path);
    return [...node.children]
      .map(([name, child]) => ({
        name,
        isFile: child.kind === 'file',
        isDirectory: child.kind === 'directory',
        isSymbolicLink: child.kind === 'symlink',
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    this.#check('unlink', path);
    let found: { dir: Node; name: string };
    try {
      found = this.#parentOf(path, 'unlink');
    } catch (error) {
      if (options?.force === true && error instanceof FsError && error.code === 'ENOENT') return;
      throw error;
    }
    const node = found.dir.children.get(found.name);
    if (node === undefined) {
      if (options?.force === true) return;
      this.#fail('ENOENT', 'unlink', path);
    }
    if (node.kind === 'directory' && node.children.size > 0 && options?.recursive !== true) {
      this.#fail('ENOTEMPTY', 'rmdir', path);
    }
    found.dir.children.delete(found.name);
  }

  async cp(src: string, dest: string, options?: { recursive?: boolean }): Promise<void> {
    const from = this.#lookup(src, 'open');
    if (from.kind !== 'directory') return this.writeFile(dest, from.data);
    if (options?.recursive !== true) this.#fail('EISDIR', 'cp', src);
    if (!(await this.exists(dest))) await this.mkdir(dest);
    for (const name of from.children.keys()) {
      await this.cp(`${src}/${name}`, `${dest}/${name}`, options);
    }
  }

  async mv(src: string, dest: string): Promise<void> {
    this.#check('rename', src);
    const from = this.#parentOf(src, 'rename');
    const node = from.dir.children.get(from.name);
    if (node === undefined) this.#fail('ENOENT', 'rename', src);
    const to = this.#parentOf(dest, 'rename');
    from.dir.children.delete(from.name);
    to.dir.children.set(to.name, node);
  }

  resolvePath(base: string, path: string): string {
    const out: string[] = [];
    for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
      if (part === '' || part === '.') continue;
      if (part === '..') out.pop();
      else out.push(part);
    }
    return `/${out.join('/')}`;
  }

  getAllPaths(): string[] {
    return [];
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#lookup(path, 'chmod').mode = mode;
  }

  async symlink(target: string, path: string): Promise<void> {
    this.#check('symlink', path);
    const { dir, name } = this.#parentOf(path, 'symlink');
    if (dir.children.has(name)) this.#fail('EEXIST', 'symlink', path);
    const node = this.#node('symlink', 0o777);
    node.target = target;
    dir.children.set(name, node);
  }

  async link(existing: string, path: string): Promise<void> {
    const node = this.#lookup(existing, 'link', false);
    const { dir, name } = this.#parentOf(path, 'link');
    if (dir.children.has(name)) this.#fail('EEXIST', 'link', path);
    dir.children.set(name, node);
  }

  async readlink(path: string): Promise<string> {
    const node = this.#lookup(path, 'readlink', false);
    if (node.kind !== 'symlink') this.#fail('EINVAL', 'readlink', path);
    return node.target;
  }

  async realpath(path: string): Promise<string> {
    return this.#walkTo(path, 'realpath', true).real;
  }

  async utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    this.#lookup(path, 'utimes').mtime = mtime;
  }

  async prefetch(path: string): Promise<readonly FsError[]> {
    this.#walkTo(path, 'scandir', true);
    return [];
  }

  *#files(node: Node, path: string): Iterable<WalkedFile> {
    if (node.kind === 'file') {
      const slash = path.lastIndexOf('/');
      yield new WalkedFile(path.slice(0, slash) || '/', path.slice(slash + 1), {
        bytes: () => node.data,
      });
    }
    if (node.kind !== 'directory') return;
    for (const [name, child] of [...node.children].sort(([a], [b]) => (a < b ? -1 : 1))) {
      yield* this.#files(child, path === '/' ? `/${name}` : `${path}/${name}`);
    }
  }

  walk(path: string): Iterable<WalkedFile> | null {
    return this.#files(this.#walkTo(path, 'scandir', true).node, path);
  }

  searchable(): boolean {
    return false;
  }

  errorsSince(mark: number): readonly FsError[] {
    return this.#errors.slice(mark);
  }

  costly(): boolean {
    return false;
  }

  async checkRemoval(): Promise<boolean> {
    return false;
  }

  async flush(): Promise<void> {
    // Nothing is held back here.
  }

  heldMark(): number {
    return 0;
  }

  separately<T>(run: () => T): T {
    return run();
  }

  endlessRead(): null {
    return null;
  }

  noteEndless(): void {
    // Nothing here is endless.
  }

  enough(): void {
    // Nothing here is endless.
  }

  errorMark(): number {
    return this.#errors.length;
  }
}
