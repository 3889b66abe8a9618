/** Modules of scripts: CommonJS by `require`, ES modules for the engine's own loader. */
import type { Files } from './files.ts';
import type { Bag, Codes, Guest, Loose } from './loose.ts';
import type { Realm } from './realm.ts';
import { coded, directoryOf, isPath, pathOf, Resolver, urlOf } from './resolver.ts';
import { moduleLine, WRAPPER } from './stack.ts';

interface Module {
  id: string;
  path: string;
  exports: unknown;
  filename: string;
  loaded: boolean;
  children: Module[];
  paths: string[];
  require?: Require;
  parent?: Module | null | undefined;
}

type Require = ((id: string) => unknown) & Bag;
type Format = 'commonjs' | 'module' | 'json';

export class Modules {
  readonly #guest: Guest;
  readonly #realm: Realm;
  readonly #files: Files;
  readonly #cache: Record<string, Module> = Object.create(null);
  readonly resolver: Resolver;
  readonly #isTypeScript = /\.[cm]?ts$/;
  /** Sources of scripts, by their files. */
  readonly sources: Map<string, string>;
  /** ES modules that are in no file. */
  readonly virtual = new Map<string, string>();
  main: Module | undefined;
  readonly Module: Bag & ((...args: unknown[]) => void);

  constructor(guest: Guest, realm: Realm, files: Files, sources: Map<string, string>) {
    this.#guest = guest;
    this.#realm = realm;
    this.#files = files;
    this.sources = sources;
    this.resolver = new Resolver({
      guest,
      files,
      library: (id) => realm.library(id),
      parentOf: (path) =>
        Object.values(this.#cache).find(({ children }) =>
          children.some(({ filename }) => filename === path),
        )?.filename,
    });
    this.Module = this.#makeModule();
  }

  /** The module `module`. */
  #makeModule(): Modules['Module'] {
    const modules = this;
    function Module(this: Module, id: unknown = '', parent?: Module): void {
      Object.assign(this, {
        id,
        path: directoryOf(String(id)),
        exports: {},
        filename: null,
        loaded: false,
        children: [],
        paths: [],
      });
      parent?.children.push(this);
    }
    Module.prototype.require = function required(this: Module, id: string): unknown {
      return modules.requireFrom(this)(id);
    };
    Module.prototype._compile = function compile(
      this: Module,
      source: string,
      file: string,
    ): unknown {
      return modules.#runCommonJs(this, source, file);
    };
    return Object.assign(Module as unknown as Modules['Module'], {
      Module,
      _cache: this.#cache,
      _extensions: { '.js': () => undefined, '.json': () => undefined, '.node': () => undefined },
      builtinModules: this.#realm.publicIds,
      isBuiltin: (id: string) => this.#builtin(id) !== null,
      createRequire: (from: unknown) => {
        const text = String(from);
        const path = text.startsWith('file:') ? pathOf(text) : this.#files.resolve(text);
        return this.requireFrom(this.#makeOne(path, null));
      },
      _resolveFilename: (id: string, parent: Module) =>
        this.resolver.resolve(id, parent?.path ?? '/', 'require'),
      _load: (id: string, parent: Module) => this.requireFrom(parent)(id),
      _nodeModulePaths: (from: string) => this.resolver.lookups(from),
      wrap: (source: string) =>
        `(function (exports, require, module, __filename, __dirname) { ${source}\n});`,
      findPackageJSON: (_id: unknown, base: unknown) =>
        this.resolver.packageOf(pathOf(String(base)))?.directory,
      stripTypeScriptTypes: (source: string) => this.#stripped(source, ''),
      enableCompileCache: () => ({ status: 3 }),
      syncBuiltinESMExports: () => undefined,
      register: () => undefined,
      SourceMap: class {},
      globalPaths: [],
    });
  }

  #makeOne(path: string, parent: Module | null): Module {
    const make = this.Module as unknown as new (id: string) => Module;
    const module = new make(path);
    module.filename = path;
    module.path = directoryOf(path);
    module.paths = this.resolver.lookups(module.path);
    if (parent !== null) parent.children.push(module);
    return module;
  }

  #builtin(id: string): string | null {
    const name = id.startsWith('node:') ? id.slice(5) : id;
    return this.#realm.isPublic(name) ? name : null;
  }

  builtin(name: string): Loose {
    if (name === 'module') return this.Module as unknown as Loose;
    if (name === 'process') return (globalThis as unknown as { process: Loose }).process;
    return this.#realm.library(name);
  }

  /** `require` for one module. */
  requireFrom(module: Module): Require {
    const require = ((id: unknown): unknown => {
      if (typeof id !== 'string') {
        const { codes } = this.#realm.library('internal/errors') as unknown as {
          codes: Codes;
        };
        const Wrong = codes['ERR_INVALID_ARG_TYPE'] ?? (TypeError as Codes[string]);
        throw new Wrong('id', 'string', id);
      }
      const builtin = this.#builtin(id);
      if (builtin !== null) return this.builtin(builtin);
      if (id.startsWith('node:'))
        throw coded('ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${id}`);
      return this.#loadFile(
        this.resolver.resolve(id, module.path, 'require', module.filename),
        module,
      ).exports;
    }) as Require;
    require['resolve'] = Object.assign(
      (id: string) =>
        this.#builtin(id) === null
          ? this.resolver.resolve(id, module.path, 'require', module.filename)
          : id,
      { paths: () => this.resolver.lookups(module.path) },
    );
    require['cache'] = this.#cache;
    require['main'] = this.main;
    require['extensions'] = this.Module['_extensions'];
    return require;
  }

  #loadFile(path: string, parent: Module | null): Module {
    const present = this.#cache[path];
    if (present !== undefined) return present;
    const module = this.#makeOne(path, parent);
    this.#cache[path] = module;
    try {
      this.#fill(module, path);
    } catch (error) {
      delete this.#cache[path];
      throw error;
    }
    module.loaded = true;
    return module;
  }

  #fill(module: Module, path: string): void {
    const format = this.formatOf(path);
    if (format === 'json') {
      module.exports = this.#json(path);
      return;
    }
    if (path.endsWith('.node'))
      throw coded('ERR_DLOPEN_FAILED', `${path}: there are no native modules here`);
    if (format === 'module') {
      module.exports = this.#requireEsm(urlOf(path));
      return;
    }
    this.#runCommonJs(module, this.#source(path), path);
  }

  #json(path: string): unknown {
    const text = this.resolver.text(path).replace(/^\ufeff/, '');
    try {
      return JSON.parse(text);
    } catch (error) {
      (error as Error).message = `${path}: ${(error as Error).message}`;
      throw error;
    }
  }

  /** An ES module that is required is run to its end now. */
  #requireEsm(url: string): unknown {
    const imported = this.importUrl(url);
    const { raw } = this.#guest;
    for (let round = 0; raw.promiseDetails(imported)[0] === 0 && round < 1000; round++)
      raw.runMicrotasks();
    const [state, value] = raw.promiseDetails(imported);
    if (state === 0) {
      throw coded(
        'ERR_REQUIRE_ASYNC_MODULE',
        'require() cannot be used on an ESM graph with top-level await. Use import() instead.',
      );
    }
    if (state === 2) {
      (imported as Promise<unknown>).catch(() => undefined);
      throw value;
    }
    const namespace = value as Bag;
    return Object.hasOwn(namespace, 'module.exports') ? namespace['module.exports'] : namespace;
  }

  /** Begins a module, as `import()` does. */
  importUrl(url: string): unknown {
    const run = this.#guest.raw.evaluate('(url) => import(url)', 'dirigent-import') as (
      url: string,
    ) => unknown;
    return run(url);
  }

  #source(path: string): string {
    const text = this.resolver.text(path).replace(/^\ufeff/, '');
    const source = this.#isTypeScript.test(path) ? this.#stripped(text, path) : text;
    this.sources.set(path, source);
    return source;
  }

  #stripped(source: string, path: string): string {
    const told = this.#guest.host('stripTypes', source) as { source: string } | { wrong: string };
    if ('source' in told) return told.source;
    const error = coded('ERR_INVALID_TYPESCRIPT_SYNTAX', told.wrong, SyntaxError);
    error.stack = `${path}\n${error.stack ?? ''}`;
    throw error;
  }

  /** Runs the text of a module of CommonJS. */
  #runCommonJs(module: Module, source: string, file: string): unknown {
    const body = source.startsWith('#!') ? `//${source.slice(2)}` : source;
    this.sources.set(file, source);
    const wrapper = this.compile(`${WRAPPER}${body}\n})`, file, () => source, true) as (
      this: unknown,
      ...args: unknown[]
    ) => unknown;
    const { exports } = module;
    const require = this.requireFrom(module);
    return wrapper.call(exports, exports, require, module, file, module.path);
  }

  /** Evaluates a script. What the engine cannot read is told as V8 tells it. */
  compile(text: string, file: string, original: () => string, isWrapped = false): unknown {
    try {
      return this.#guest.raw.evaluate(text, file);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const told = this.#guest.host(
        'syntaxError',
        original(),
        file,
        isWrapped ? 'commonjs' : 'script',
      ) as string[] | null;
      if (told === null) throw error;
      throw asToldByV8(told);
    }
  }

  /** Runs the script that the command was given. */
  runMain(path: string): void {
    const format = this.formatOf(path);
    if (format === 'module') return this.runModule(urlOf(path));
    const module = this.#makeOne(path, null);
    module.id = '.';
    this.main = module;
    this.#cache[path] = module;
    if (format === 'json') {
      module.exports = this.#json(path);
      return;
    }
    const source = this.#source(path);
    try {
      this.#runCommonJs(module, source, path);
    } catch (error) {
      const isPlain =
        /\.[jt]s$|\/[^.]*$/.test(path) && this.resolver.packageOf(path)?.type !== 'commonjs';
      if (!(isPlain && error instanceof SyntaxError && this.looksLikeModule(source))) throw error;
      delete this.#cache[path];
      this.#detected.add(path);
      this.runModule(urlOf(path));
      return;
    }
    module.loaded = true;
  }

  /** Files that turned out to be ES modules when they were read. */
  readonly #detected = new Set<string>();

  /** Begins the main module; its promise is the process's. */
  runModule(url: string): void {
    this.running = this.importUrl(url);
  }

  /** The promise of the main module. */
  running: unknown;

  looksLikeModule(source: string): boolean {
    return this.#guest.host('isModule', source) === true;
  }

  formatOf(path: string): Format {
    if (path.endsWith('.json')) return 'json';
    if (/\.m[jt]s$/.test(path) || this.#detected.has(path)) return 'module';
    if (/\.c[jt]s$/.test(path)) return 'commonjs';
    const type = this.resolver.packageOf(path)?.type;
    if (type === 'module' && /\.[jt]s$/.test(path)) return 'module';
    if (type === 'commonjs' || path === this.main?.filename || !/\.[jt]s$/.test(path))
      return 'commonjs';
    // Without a word of the package, the text says which it is.
    const isModule = /^\s*(?:import|export)\b|\bawait\b|\bimport\.meta\b/m.test(
      this.#tryText(path),
    );
    if (!isModule || !this.looksLikeModule(this.#source(path))) return 'commonjs';
    this.#detected.add(path);
    return 'module';
  }

  #tryText(path: string): string {
    return this.#files.tryStat(path) === null ? '' : this.resolver.text(path);
  }

  /** The name under which the engine knows what a module imports. */
  resolveImport(base: string, id: string): string {
    if (this.virtual.has(id)) return id;
    const builtin = this.#builtin(id);
    if (builtin !== null) return `node:${builtin}`;
    if (id.startsWith('node:'))
      throw coded('ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${id}`);
    if (id.startsWith('data:')) return id;
    if (/^https?:/.test(id)) {
      throw coded(
        'ERR_UNSUPPORTED_ESM_URL_SCHEME',
        `Only URLs with a scheme in: file, data, and node are supported by the default ESM loader. Received protocol '${id.split(':')[0]}:'`,
      );
    }
    const from = base.startsWith('file:')
      ? pathOf(base)
      : base.startsWith('/')
        ? base
        : `${this.cwd()}/${base}`;
    const [, text = id, query = ''] = /^([^?#]*)(.*)$/s.exec(id) ?? [];
    const path = id.startsWith('file:')
      ? this.resolver.resolve(pathOf(id), '/', 'import', from)
      : this.resolver.resolve(
          isPath(id) ? decodeURIComponent(text) : id,
          directoryOf(from),
          'import',
          from,
        );
    return urlOf(path) + (isPath(id) ? query : '');
  }

  cwd: () => string = () => '/';

  /** The text of an ES module by that name. */
  loadImport(name: string): string {
    const virtual = this.virtual.get(name);
    if (virtual !== undefined) {
      this.sources.set(name, virtual);
      return moduleLine(name) + virtual;
    }
    if (name.startsWith('node:'))
      return synthetic('builtin', name.slice(5), exportsOf(this.builtin(name.slice(5))));
    if (name.startsWith('data:')) return this.#guest.host('dataUrl', name) as string;
    const path = pathOf(name);
    const format = this.formatOf(path);
    if (format === 'json') return synthetic('json', path, []);
    if (format === 'commonjs') return synthetic('required', path, this.#namesOf(path));
    const source = this.#source(path);
    this.sources.set(name, source);
    const body = source.startsWith('#!') ? `//${source.slice(2)}` : source;
    return moduleLine(name) + body;
  }

  /** The names that a module of CommonJS seems to export: it runs in its turn, not before. */
  #namesOf(path: string): string[] {
    const names = new Set<string>();
    const seen = new Set<string>();
    const look = (file: string): void => {
      if (seen.has(file) || this.formatOf(file) !== 'commonjs') return;
      seen.add(file);
      const found = exportNames(this.#source(file));
      for (const name of found.names) names.add(name);
      for (const id of found.from) {
        if (this.#builtin(id) === null)
          look(this.resolver.resolve(id, directoryOf(file), 'require', file));
      }
    };
    look(path);
    names.delete('default');
    return [...names, 'module.exports'];
  }

  /** What the text of such a module takes. */
  readonly taken = {
    builtin: (name: string): unknown => this.builtin(name),
    json: (path: string): unknown => this.#json(path),
    required: (path: string): unknown => this.#loadFile(path, null).exports,
    meta: (meta: Bag, url: string): void => {
      const isFile = url.startsWith('file:');
      if (isFile) {
        meta['dirname'] = directoryOf(pathOf(url));
        meta['filename'] = pathOf(url);
      }
      meta['main'] = url === this.mainUrl;
      meta['resolve'] = (id: string): string => this.resolveImport(url, id);
      meta['url'] = url;
    },
  };

  mainUrl = '';
}

/** What a text of CommonJS seems to export: by names, and by the modules whose exports it hands on. */
function exportNames(source: string): { names: string[]; from: string[] } {
  const all = (pattern: RegExp): string[] =>
    [...source.matchAll(pattern)].map((match) => match[1] ?? '');
  const literal = /\bmodule\.exports\s*=\s*\{([^}]*)\}?/.exec(source)?.[1] ?? '';
  const listed = [
    ...literal.matchAll(/(?:^|,)\s*(?:async\s+)?(?:(['"])(.*?)\1|([\w$]+))\s*(?=[,:(]|$)/g),
  ];
  return {
    names: [
      ...all(/\bexports\.([\w$]+)\s*=(?!=)/g),
      ...all(/\bexports\[['"]([^'"]+)['"]\]\s*=(?!=)/g),
      ...all(/\bObject\.defineProperty\(\s*(?:module\.)?exports\s*,\s*['"]([^'"]+)['"]/g),
      ...listed.map(([, , quoted, name]) => quoted ?? name ?? ''),
    ].filter((name) => name !== '__esModule'),
    from: [
      ...all(/\bmodule\.exports\s*=\s*require\(\s*['"]([^'"]+)['"]\s*\)/g),
      ...all(/\b__exportStar\(\s*require\(\s*['"]([^'"]+)['"]\s*\)/g),
    ],
  };
}

function exportsOf(exports: unknown): string[] {
  if ((typeof exports !== 'object' && typeof exports !== 'function') || exports === null) return [];
  return Object.keys(exports).filter((name) => name !== 'default');
}

/** A module whose exports are somebody else's. */
function synthetic(from: string, what: string, names: readonly string[]): string {
  const lines = names.map((name, index) => {
    const value = name === 'module.exports' ? 'all' : `all[${JSON.stringify(name)}]`;
    return `const _${index} = ${value}; export { _${index} as ${JSON.stringify(name)} };`;
  });
  return [
    `const all = globalThis[Symbol.for("dirigent.entries")].${from}(${JSON.stringify(what)});`,
    'export default all;',
    ...lines,
  ].join('');
}

/** @param told message, then the stack as it is printed */
function asToldByV8([message = '', stack = '']: string[]): SyntaxError {
  const error = new SyntaxError(message);
  error.stack = stack;
  return error;
}
