/**
 * What the console is made of: plain modules, which a browser loads as they stand in a checkout and
 * in the package alike. What they import by a name is served beside them, so that no request goes to
 * another host, and no build is needed.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file, as it is sent. */
export interface Asset {
  body: string;
  type: string;
  /** Of its content, in quotes: what the header ETag has. */
  tag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** What modules of the page import that is not beside them, and the name it is served by. */
const SERVED_AS: Readonly<Record<string, string>> = {
  preact: 'lib/preact.js',
  'preact/hooks': 'lib/hooks.js',
  htm: 'lib/htm.js',
  'uplot/dist/uPlot.esm.js': 'lib/uplot.js',
  '../../../visible.ts': 'lib/visible.js',
};

/** Where these are. */
const libraries = (): Record<string, string> => ({
  'lib/preact.js': import.meta.resolve('preact'),
  'lib/hooks.js': import.meta.resolve('preact/hooks'),
  'lib/htm.js': import.meta.resolve('htm'),
  'lib/uplot.js': import.meta.resolve('uplot/dist/uPlot.esm.js'),
  'lib/uplot.css': import.meta.resolve('uplot/dist/uPlot.min.css'),
});

/** The files of the console, each read when it is first asked for. */
export class Assets {
  readonly #files: ReadonlyMap<string, string>;
  readonly #read = new Map<string, Asset>();

  constructor() {
    const page = new URL('./page/', import.meta.url);
    const own = readdirSync(page, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`.replaceAll('\\', '/'));
    const root = fileURLToPath(page).replaceAll('\\', '/');
    this.#files = new Map([
      ...own.map((file) => [file.replace(root, '').replace(/^\//, ''), file] as const),
      ...Object.entries(libraries()).map(([name, url]) => [name, fileURLToPath(url)] as const),
      ['lib/visible.js', visibleFile()],
    ]);
  }

  get names(): string[] {
    return [...this.#files.keys()];
  }

  /** A file by its name, such as `main.js`; null where there is none. Nothing else can be named. */
  get(name: string): Asset | null {
    const file = this.#files.get(name);
    if (file === undefined) return null;
    const asset = this.#read.get(name) ?? assetOf(name, file);
    this.#read.set(name, asset);
    return asset;
  }
}

/** What makes text visible is the same code at a terminal and in a page. */
const visibleFile = (): string => {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`../../visible.${extension}`, import.meta.url));
};

function assetOf(name: string, file: string): Asset {
  const source = file.endsWith('.ts') ? withoutTypes(file) : readFileSync(file, 'utf8');
  const extension = name.split('.').at(-1) ?? '';
  const body = extension === 'js' ? withServedImports(source) : source;
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 32);
  return { body, type: TYPES[extension] ?? 'application/octet-stream', tag: `"${digest}"` };
}

const STRIP = `const { stripTypeScriptTypes } = require('node:module');
process.stdout.write(stripTypeScriptTypes(require('node:fs').readFileSync(process.argv[1], 'utf8')));`;

/** In a checkout alone, once: by a process of its own, where nobody is warned of what Node calls new. */
const withoutTypes = (file: string): string =>
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', STRIP, file], {
    encoding: 'utf8',
  });

/** A browser knows no packages: their names become addresses. */
const withServedImports = (source: string): string =>
  source.replace(/\bfrom\s*(["'])([^"'\n]+)\1/g, (whole, quote: string, name: string) => {
    const served = SERVED_AS[name];
    return served === undefined ? whole : `from ${quote}/console/${served}${quote}`;
  });
