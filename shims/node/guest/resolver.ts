/** Where the file of a specifier is: `package.json`, `node_modules`, `exports`, and what is guessed. */
import type { Files } from './files.ts';
import type { Bag, Guest, Loose } from './loose.ts';
import { coder } from './text.ts';

interface PackageJson {
  directory: string;
  text: string;
  main: unknown;
  type: unknown;
  name: unknown;
  exports: unknown;
  imports: unknown;
}

const EXTENSIONS = ['.js', '.json', '.node', '.ts', '.cjs', '.mjs'];
export const directoryOf = (path: string): string =>
  path.slice(0, Math.max(1, path.lastIndexOf('/')));
export const urlOf = (path: string): string =>
  `file://${path.split('/').map(encodeURIComponent).join('/')}`;
export const pathOf = (url: string): string =>
  decodeURIComponent(url.replace(/^file:\/\//, '').replace(/[?#].*$/, ''));
/** Is it an address that says where the file is by itself? */
export const isPath = (id: string): boolean => /^(?:\.{1,2}(?:\/|$)|\/)/.test(id);

export interface ResolverParts {
  guest: Guest;
  files: Files;
  library(id: string): Loose;
  /** Who loaded a module first: for what an error says. */
  parentOf(path: string): string | undefined;
}

export class Resolver {
  readonly #parts: ResolverParts;
  readonly #files: Files;
  readonly #packages = new Map<string, PackageJson | null>();

  constructor(parts: ResolverParts) {
    this.#parts = parts;
    this.#files = parts.files;
  }

  /** The directories of packages that are seen from a directory. */
  lookups(from: string): string[] {
    const parts = from.split('/').filter((part) => part !== '');
    return parts
      .map((_, index) => parts.slice(0, parts.length - index))
      .filter((part) => part.at(-1) !== 'node_modules')
      .map((part) => `/${part.join('/')}/node_modules`)
      .concat('/node_modules');
  }

  /** The text of a file. */
  text(path: string): string {
    return coder(this.#parts.guest.host).decode(this.#files.read(path), 'utf8');
  }

  #packageAt(directory: string): PackageJson | null {
    const known = this.#packages.get(directory);
    if (known !== undefined) return known;
    const path = `${directory === '/' ? '' : directory}/package.json`;
    let found: PackageJson | null = null;
    if (this.#isFile(path)) {
      const text = this.text(path);
      let json: Bag;
      try {
        json = JSON.parse(text) as Bag;
      } catch (error) {
        const reason = (error as Error).message;
        throw coded('ERR_INVALID_PACKAGE_CONFIG', `Invalid package config ${path}. ${reason}`);
      }
      const { main, type, name, exports, imports } = json;
      found = { directory, text, main, type, name, exports, imports };
    }
    this.#packages.set(directory, found);
    return found;
  }

  /** What governs a file, the nearest above it. */
  packageOf(path: string): PackageJson | null {
    for (let directory = directoryOf(path); ; directory = directoryOf(directory)) {
      if (directory.endsWith('/node_modules')) return null;
      const found = this.#packageAt(directory);
      if (found !== null || directory === '/') return found;
    }
  }

  #isFile(path: string): boolean {
    const stat = this.#files.tryStat(path);
    return stat !== null && (stat.mode & 0o170_000) !== 0o040_000;
  }

  /** A file by its path, as `require` guesses it. */
  #guessed(path: string): string | null {
    const bare = path.replace(/(?<=.)\/+$/, '');
    if (bare === path && this.#isFile(path)) return path;
    if (bare === path) {
      for (const extension of EXTENSIONS.slice(0, 3))
        if (this.#isFile(path + extension)) return path + extension;
    }
    if (!this.#files.isDirectory(bare)) return null;
    const main = this.#packageAt(bare)?.main;
    if (typeof main === 'string') {
      const found = this.#guessed(this.#files.resolve(`${bare}/${main}`));
      if (found !== null) return found;
    }
    for (const extension of EXTENSIONS.slice(0, 3)) {
      const index = `${bare === '/' ? '' : bare}/index${extension}`;
      if (this.#isFile(index)) return index;
    }
    return null;
  }

  /** The file of a specifier. @param by how it is asked for, a condition of `exports` */
  resolve(id: string, from: string, by: 'require' | 'import', parent?: string | null): string {
    if (isPath(id)) {
      const path = this.#files.resolve(id.startsWith('/') ? id : `${from}/${id}`);
      if (by === 'import') {
        if (this.#isFile(path)) return this.#real(path);
        throw this.#missingImport(path, parent, this.#files.isDirectory(path));
      }
      const found = this.#guessed(path + (/(?:^|\/)\.{1,2}$/.test(id) ? '/' : ''));
      if (found !== null) return this.#real(found);
      throw this.#missing(id, parent);
    }
    const found = id.startsWith('#') ? this.#imported(id, from, by) : this.#package(id, from, by);
    if (found !== null) return this.#real(found);
    throw by === 'import' ? this.#missingPackage(id, parent) : this.#missing(id, parent);
  }

  #real(path: string): string {
    const fs = this.#parts.library('fs') as unknown as { realpathSync(path: string): string };
    return fs.realpathSync(path);
  }

  #imported(id: string, from: string, by: string): string | null {
    const own = this.packageOf(`${from}/x`);
    if (own?.imports === undefined) return null;
    return this.#mapped(own, id, by);
  }

  #mapped(own: PackageJson, id: string, by: string): string | null {
    const told = this.#parts.guest.host('resolveExports', own.text, id, by) as
      | string
      | { wrong: string };
    if (typeof told !== 'string') throw coded('ERR_PACKAGE_PATH_NOT_EXPORTED', told.wrong);
    return told.startsWith('./')
      ? this.#files.resolve(`${own.directory}/${told}`)
      : this.#package(told, own.directory, by);
  }

  #package(id: string, from: string, by: string): string | null {
    const [, name = id, rest = ''] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(id) ?? [];
    const own = this.packageOf(`${from}/x`);
    if (own !== null && own.name === name && own.exports !== undefined)
      return this.#mapped(own, `.${rest}`, by);
    for (const lookup of this.lookups(from)) {
      const directory = `${lookup}/${name}`;
      if (!this.#files.isDirectory(directory)) {
        const file = by === 'require' ? this.#guessed(`${lookup}/${id}`) : null;
        if (file !== null) return file;
        continue;
      }
      const found = this.#packageAt(directory);
      if (found !== null && found.exports !== undefined && found.exports !== null)
        return this.#mapped(found, `.${rest}`, by);
      const path = this.#guessed(rest === '' ? directory : `${directory}${rest}`);
      if (path !== null) return path;
    }
    return null;
  }

  #missing(id: string, parent: string | null | undefined): Error {
    const stack: string[] = [];
    for (
      let at = parent;
      at !== undefined && at !== null && at !== '';
      at = this.#parts.parentOf(at)
    )
      stack.push(at);
    const shown = stack.length === 0 ? '' : `\nRequire stack:\n- ${stack.join('\n- ')}`;
    const error = coded('MODULE_NOT_FOUND', `Cannot find module '${id}'${shown}`, Error, false);
    return Object.assign(error, { requireStack: stack });
  }

  #missingImport(path: string, parent: string | null | undefined, isDirectory: boolean): Error {
    if (isDirectory) {
      return coded(
        'ERR_UNSUPPORTED_DIR_IMPORT',
        `Directory import '${path}' is not supported resolving ES modules imported from ${parent}`,
      );
    }
    const error = coded(
      'ERR_MODULE_NOT_FOUND',
      `Cannot find module '${path}' imported from ${parent}`,
    );
    return Object.assign(error, { url: urlOf(path) });
  }

  #missingPackage(id: string, parent: string | null | undefined): Error {
    const name = /^((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? id;
    return coded('ERR_MODULE_NOT_FOUND', `Cannot find package '${name}' imported from ${parent}`);
  }
}

/** An error with a code, as Node.js words and shows it. */
export function coded(
  code: string,
  message: string,
  Kind: ErrorConstructor = Error,
  isShown = true,
): Error {
  const error = new Kind(message) as Error & Bag;
  error['code'] = code;
  if (isShown && typeof error.stack === 'string')
    error.stack = error.stack.replace(/^(\w+)(?=:)/, `$1 [${code}]`);
  return error;
}
