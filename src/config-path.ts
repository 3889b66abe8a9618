/** What a config names on the host: directories and files, relative to the deployment, and packages that it has installed. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { exports as exportsOf } from 'resolve.exports';
import { ConfigError } from './errors.ts';
import { likePath } from './like-path.ts';

/**
 * A directory.
 * @param where its place in the config
 * @throws ConfigError where there is none
 */
export function directoryAt(directory: string, base: string, where: string): string {
  const root = resolve(base, directory);
  if (fs.statSync(root, { throwIfNoEntry: false })?.isDirectory()) return root;
  throw new ConfigError(
    where,
    `${root} is not a directory${likePath(root)}; make it, or name another one`,
  );
}

/**
 * A file with a database.
 * @param where its place in the config
 * @throws ConfigError where there is none, and for those of the state: no mount shows these
 */
export function databaseAt(name: string, base: string, where: string): string {
  return existing(name, base, where, 'make it, or name another one');
}

/**
 * A file that a mount is described by.
 * @param where its place in the config
 * @throws ConfigError as of {@link databaseAt}
 */
export function fileAt(name: string, base: string, where: string): string {
  return existing(name, base, where, 'name the file that is meant');
}

function existing(name: string, base: string, where: string, what: string): string {
  const file = resolve(base, name);
  if (file.split(sep).includes('.dirigent')) {
    throw new ConfigError(where, `${file} is state of dirigent's own, which no mount shows`);
  }
  if (fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  throw new ConfigError(where, `${file} is no file${likePath(file)}; ${what}`);
}

/**
 * A program of the host.
 * @param name a path, or a name in a directory of `path`, the host's PATH
 * @param where its place in the config
 * @throws ConfigError where it is not there
 */
export function programAt(name: string, base: string, path: string, where: string): string {
  const places = name.includes('/')
    ? [resolve(base, name)]
    : path.split(delimiter).flatMap((each) => (each === '' ? [] : join(each, name)));
  const file = places.find((each) => fs.statSync(each, { throwIfNoEntry: false })?.isFile());
  if (file !== undefined) return file;
  const what = name.includes('/') ? places[0] : `${name}, in no directory of PATH,`;
  throw new ConfigError(where, `${what} is not there`);
}

/** `name`, `@scope/name`, and either with `/part`. */
const PACKAGE = /^(?:@[^/\s]+\/)?[^./@:\s][^/:\s]*(?:\/\S+)?$/;

/** Is it a path, and no package's name? */
const isPath = (module: string): boolean => /^\.{0,2}\//.test(module) || isAbsolute(module);

/** Can it name a module: is it a path, or could it be a package? */
export const namesModule = (module: string): boolean => isPath(module) || PACKAGE.test(module);

/**
 * The file of a module.
 * @param module `./FILE`, `/FILE`, or `PACKAGE` with or without a part
 * @param base the directory that `./FILE` is relative to, and in which packages are looked up
 * @param where its place in the config
 * @throws ConfigError where it is not there
 */
export function moduleFile(module: string, base: string, where: string): string {
  if (!isPath(module)) return packageFile(module, base, where);
  const file = resolve(base, module);
  if (fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  throw new ConfigError(where, `${file} is no file${likePath(file)}; name the file of the module`);
}

/**
 * The file that a package is imported by.
 * @throws ConfigError where it is not installed, or exports no such part
 */
export function packageFile(name: string, base: string, where: string): string {
  const { resolve: find } = createRequire(join(resolve(base), 'x.js'));
  try {
    return importedFile(name, find.paths(name) ?? []) ?? find(name);
  } catch (cause) {
    const beside = fs.existsSync(join(base, name)) ? `; the file beside it is ./${name}` : '';
    throw new ConfigError(
      where,
      `${name} is not installed in ${base}${beside}: install it there, or name a file, such as ./mount.ts`,
      cause,
    );
  }
}

/** Of a package with `exports`, which may be others for `import` than for `require`; null where there are none. */
function importedFile(name: string, directories: readonly string[]): string | null {
  const [, own = name, part = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(name) ?? [];
  for (const directory of directories) {
    const manifest = join(directory, own, 'package.json');
    if (!fs.existsSync(manifest)) continue;
    const found = exported(JSON.parse(fs.readFileSync(manifest, 'utf8')), `.${part}`);
    return found === null ? null : join(dirname(manifest), found);
  }
  return null;
}

function exported(manifest: object, part: string): string | null {
  try {
    return exportsOf(manifest, part)?.[0] ?? null;
  } catch {
    // Its way to say that the package has no such part.
    return null;
  }
}
