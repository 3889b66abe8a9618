/**
 * What the host would load with a module: the files that it imports, and the
 * places in which they are looked for. Found from their text, before any of it
 * is run: what is built at run time is not seen.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInside } from '../../disk/host.ts';
import { follow, upFrom } from './ways.ts';

/** A place that decides what code runs. */
export interface Lookup {
  path: string;
  /** A directory of which anything may be loaded: these names, and what they need. Null for one file. */
  names: readonly string[] | null;
}

/** Files that hold imports. */
const CODE = /^\.[cm]?[jt]s$/;
/** Longer ones are bundles, which need nothing beside them. Bytes. */
const LARGEST = 4 * 1024 * 1024;
/** `from 'x'`, `import 'x'`, `import('x')`, `require('x')`, `require.resolve('x')`. */
const IMPORT = /\b(?:from|import|require|resolve)\b\s*(?:\(\s*)?(['"`])([^'"`\n\\]+)\1/g;
/** A file that is named in any other way, as in `new URL('./worker.js', import.meta.url)`. */
const NAMED = /(['"`])(\.{1,2}\/[^'"`\n\\]*\.(?:[cm]?[jt]s|json|node|wasm))\1/g;
/** Code beside a module, by names that a glob for code matches. */
const BESIDE = ['*.js', '*.mjs', '*.cjs', '*.ts', '*.mts', '*.cts', '*.json', '*.node', '*.wasm'];
/** What a name without its ending may stand for. */
const ENDINGS = ['', '.js', '.json', '.node', '.ts', '/index.js', '/package.json'];

/** Follows modules to all that is loaded with them. */
export class ModuleLookups {
  readonly #done = new Set<string>();
  /** Directories whose code is not looked into: they are kept as a whole. */
  readonly #known: readonly string[];

  constructor(known: readonly string[]) {
    this.#known = known;
  }

  /** The places that decide what a file runs, its own first; those that were given before are left out. */
  *ofFile(file: string): Generator<Lookup> {
    const { real, links } = follow(file);
    for (const path of [...links, real]) yield { path, names: null };
    if (this.#done.has(real)) return;
    this.#done.add(real);
    const isKnown = this.#isKnown(real);
    const specifiers = isKnown ? [] : specifiersOf(real);
    // A name that is put together at run time may be that of any code beside it.
    if (!isKnown) for (const any of BESIDE) yield { path: join(dirname(real), any), names: null };
    const packages = specifiers.flatMap((each) => packageOf(each) ?? []);
    for (const directory of new Set([...upFrom(dirname(real)), ...upFrom(dirname(file))])) {
      yield { path: join(directory, 'package.json'), names: null };
      yield { path: join(directory, 'node_modules'), names: packages };
    }
    for (const specifier of specifiers) yield* this.#ofImport(specifier, real);
  }

  /** The places that decide what a package is, for a file that imports it. */
  *ofPackage(specifier: string, from: string): Generator<Lookup> {
    const name = packageOf(specifier) ?? specifier;
    for (const directory of upFrom(dirname(from))) {
      const modules = join(directory, 'node_modules');
      yield { path: modules, names: [name] };
      const { real, links } = follow(join(modules, name));
      for (const path of links) yield { path, names: null };
      // A package that is linked here lies elsewhere with its code.
      if (links.length > 0 && !real.split('/').includes('node_modules'))
        yield { path: real, names: [] };
    }
    const entry = entryOf(specifier, from);
    if (entry !== null) yield* this.ofFile(entry);
  }

  *#ofImport(specifier: string, from: string): Generator<Lookup> {
    if (specifier.startsWith('#')) return yield* this.#ofInternal(from);
    const path = pathOf(specifier, dirname(from));
    if (path === null) return yield* this.ofPackage(specifier, from);
    for (const ending of ENDINGS) {
      const file = path + ending;
      if (ending === '' || isFile(file)) yield* this.ofFile(file);
    }
  }

  /** What `imports` of the nearest package.json maps names to. */
  *#ofInternal(from: string): Generator<Lookup> {
    for (const directory of upFrom(dirname(from))) {
      const file = join(directory, 'package.json');
      if (!isFile(file)) continue;
      for (const [, target = ''] of fs.readFileSync(file, 'utf8').matchAll(/"(\.\/[^"\n]*)"/g)) {
        const cut = target.indexOf('*');
        if (cut < 0) yield* this.ofFile(join(directory, target));
        else yield { path: dirname(join(directory, `${target.slice(0, cut)}x`)), names: [] };
      }
      return;
    }
  }

  #isKnown(file: string): boolean {
    return (
      file.split('/').includes('node_modules') ||
      this.#known.some((directory) => isInside(directory, file))
    );
  }
}

/** What a file imports, as it is written there; nothing for what is no code. */
function specifiersOf(file: string): string[] {
  if (!CODE.test(extname(file)) || !isFile(file)) return [];
  if (fs.statSync(file).size > LARGEST) return [];
  const text = fs.readFileSync(file, 'utf8');
  const found = [IMPORT, NAMED].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, , specifier = '']) => specifier),
  );
  return [...new Set(found)].filter((specifier) => !specifier.startsWith('node:'));
}

/** The path that a specifier names; null for one that is looked up by name. */
function pathOf(specifier: string, directory: string): string | null {
  if (specifier.startsWith('file:')) {
    return URL.canParse(specifier) ? fileURLToPath(specifier) : null;
  }
  if (/^\.{0,2}\//.test(specifier) || /^\.{1,2}$/.test(specifier) || isAbsolute(specifier))
    return resolve(directory, specifier.replace(/[?#].*$/, ''));
  return null;
}

/** The package of `name/inner`, `@scope/name`; null for what is none. */
function packageOf(specifier: string): string | null {
  return /^(?:@[^/]+\/)?[^./#@:][^/:]*/.exec(specifier)?.[0] ?? null;
}

/** The file that a package's name stands for; null where that cannot be told. */
function entryOf(specifier: string, from: string): string | null {
  try {
    const file = createRequire(from).resolve(specifier);
    return isAbsolute(file) ? file : null;
  } catch (error) {
    // It is for `import` alone, or not there: then the places in which it is looked up are all there is.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

const isFile = (path: string): boolean =>
  fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true;
