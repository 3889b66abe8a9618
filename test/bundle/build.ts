/**
 * The package in a few files: a world has some 300 modules to load, a command line more, and most of
 * what the tests cost would be their loading. Worlds and processes of the tests run from these files.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CodeSplittingNameFunction, type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { ENTRIES, ROOT } from './entries.ts';

/** Modules that say where an entry is, by their own address. */
const NAMES_ENTRIES = new Set([
  'entry/installation.ts',
  'mounts/index.ts',
  'src/texts/converter.ts',
  'src/world/runtime.ts',
  'src/world/search-files.ts',
]);

/** The directory of all bundles. */
const NAME = 'dirigent-bundle';

/** Packages of many files, with what they import. All others stay where they are. */
const INLINED = /^(?:@octokit\/rest|ajv|ajv-formats|diff|picomatch|yaml|zod)(?:\/|$)/;

/** What threads and processes load in any case, … */
const STARTS = {
  world: ['src/world/worker.ts'],
  line: [
    'entry/main.ts',
    'entry/installation.ts',
    'mounts/index.ts',
    'src/cli/run.ts',
    'src/cli/open-world.ts',
    'src/world/world.ts',
  ],
  job: ['src/world/background/thread.ts'],
};
/** … and threads that load little, each time something else. */
const SMALL = {
  engine: ['src/search/service/engine-worker.ts'],
  converter: ['src/texts/converter-worker.ts'],
};

/** Directories of earlier sources are removed when nobody has used them for so long, in ms. */
const KEPT_MS = 24 * 3_600_000;

/** Makes the files, unless they are there. @returns their directory */
export async function bundle(): Promise<string> {
  const parent = join(ROOT, 'node_modules', '.cache', NAME);
  const chunks = await chunksOf();
  // Named by what is in it: the next run finds what Node compiled of it.
  const hash = createHash('sha256');
  for (const { fileName, code } of chunks) hash.update(`${fileName}\n${code}`);
  const directory = join(parent, hash.digest('hex').slice(0, 16));
  fs.mkdirSync(parent, { recursive: true });
  if (!fs.existsSync(directory)) writeAll(chunks, directory);
  fs.utimesSync(directory, new Date(), new Date());
  removeOld(parent);
  return directory;
}

/** Another run may make the same at the same time. */
function writeAll(chunks: readonly OutputChunk[], directory: string): void {
  const made = fs.mkdtempSync(join(dirname(directory), 'new-'));
  // Or Node would parse every file once more, to find out.
  fs.writeFileSync(join(made, 'package.json'), '{ "type": "module" }\n');
  for (const { fileName, code } of chunks) {
    const file = join(made, fileName);
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.writeFileSync(file, code);
  }
  try {
    fs.renameSync(made, directory);
  } catch (error) {
    if (!fs.existsSync(directory)) throw error;
    fs.rmSync(made, { recursive: true });
  }
}

async function chunksOf(): Promise<OutputChunk[]> {
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(ROOT, `${name}.ts`)])),
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    external: (name, importer) =>
      !/^[./]/.test(name) && !INLINED.test(name) && !importer?.includes('node_modules'),
    plugins: [addresses],
    onLog: (level, log) => {
      // Which file a module lies in is the house's affair.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT')
        throw new Error(log.message);
    },
  });
  const { output } = await build.generate({
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {
      groups: [
        { name: togetherness(), debugName: 'starts', includeDependenciesRecursively: false },
      ],
    },
  });
  await build.close();
  return output
    .filter((file) => file.type === 'chunk')
    .sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
}

/**
 * The name of the file that a module lies in: one for all that the same of the {@link STARTS} need,
 * so that none has more to load than before, and a dozen files in place of sixty. What a small
 * thread may load lies apart from what it never does.
 */
function togetherness(): CodeSplittingNameFunction {
  // These begin something when they are loaded: each is a file of its own.
  const begins = new Set(
    [
      ...ENTRIES.map((name) => `${name}.ts`),
      ...Object.values(STARTS).flat(),
      ...Object.values(SMALL).flat(),
    ].map((file) => join(ROOT, file)),
  );
  let needed: [name: string, modules: Set<string>][] | undefined;
  return (id, modules) => {
    const importsOf = (each: string, lazy: boolean): readonly string[] => {
      const info = modules.getModuleInfo(each);
      if (info === null) return [];
      return lazy ? [...info.importedIds, ...info.dynamicallyImportedIds] : info.importedIds;
    };
    needed ??= [
      ...closuresOf(STARTS, (each) => importsOf(each, false)),
      ...closuresOf(SMALL, (each) => importsOf(each, true)),
    ];
    const by = needed.filter(([, closure]) => closure.has(id)).map(([name]) => name);
    return begins.has(id) || by.every((name) => name in SMALL) ? null : by.join('-');
  };
}

/** Modules, and all that they import, and so on. */
function closuresOf(
  starts: Readonly<Record<string, readonly string[]>>,
  importsOf: (id: string) => readonly string[],
): [name: string, modules: Set<string>][] {
  return Object.entries(starts).map(([name, files]) => {
    const closure = new Set(files.map((file) => join(ROOT, file)));
    // What is added meanwhile has its turn.
    for (const id of closure) for (const each of importsOf(id)) closure.add(each);
    return [name, closure];
  });
}

/**
 * Every module keeps the address of its source, by which it finds what lies beside it. Those that
 * name an entry have one as if they were compiled into the directory file by file.
 */
const addresses: Plugin = {
  name: 'addresses',
  transform(code, id) {
    const path = relative(ROOT, id).replaceAll(sep, '/');
    if (path === 'src/world/worker-boot.ts') return `${code}${REDIRECTION}`;
    if (path.startsWith('node_modules') || !code.includes('import.meta.')) return null;
    const compiled = JSON.stringify(`$1${path.replace(/\.ts$/, '.js')}`);
    const own = NAMES_ENTRIES.has(path)
      ? `import.meta.url.replace(/(\\/${NAME}\\/[^/]+\\/).*/, ${compiled})`
      : JSON.stringify(pathToFileURL(id).href);
    return code.replaceAll(/\bimport\.meta\.url\b/g, () => own);
  },
};

/** In a world's thread: what names an entry by its source gets it from the bundle, or there were two of everything. */
const REDIRECTION = `
import { registerHooks } from 'node:module';
const entries = new Map(${JSON.stringify(
  ENTRIES.map((name) => [pathToFileURL(join(ROOT, `${name}.ts`)).href, `${name}.js`]),
)});
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const entry = entries.get(found.url);
    if (entry === undefined) return found;
    const url = import.meta.url.replace(/(\\/${NAME}\\/[^/]+\\/).*/, '$1' + entry);
    return { url, format: 'module', shortCircuit: true };
  },
});
`;

function removeOld(parent: string): void {
  for (const name of fs.readdirSync(parent)) {
    const directory = join(parent, name);
    const stat = fs.statSync(directory, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > KEPT_MS)
      fs.rmSync(directory, { recursive: true, force: true });
  }
}
