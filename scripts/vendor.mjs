// Puts what the shell is made of, and what documents are read with, into
// dist/vendor/, and has the compiled files import it from there. As dependencies
// these packages would bring 110 MB that nothing here runs (a debugging SQLite,
// test suites) and two that are compiled at their installation. Each keeps its
// licence beside it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

/** The languages whose words the search knows, by the names that the packages of them give their files. */
const LANGUAGES = {
  danish: 'dk',
  dutch: 'nl',
  finnish: 'fi',
  french: 'fr',
  german: 'de',
  italian: 'it',
  norwegian: 'no',
  portuguese: 'pt',
  russian: 'ru',
  spanish: 'es',
  swedish: 'se',
};
const LANGUAGE_FILES = Object.values(LANGUAGES).map((name) => `dist/${name}.js`);
const byLanguage = (name) =>
  Object.fromEntries(
    Object.entries(LANGUAGES).map(([language, file]) => [`${name}/${language}`, `dist/${file}.js`]),
  );

/** What is taken of each package: its files, those that are kept compressed or without their comments, and the one that its name stands for. */
const VENDORED = {
  'just-bash': {
    files: [
      'dist/bundle/index.js',
      // Without the threads of its own Python, JavaScript and SQLite, and the client of its
      // own network, which no world has.
      /^dist\/bundle\/chunks\/(?!worker\.js|js-exec-worker\.js|sqlite3-worker\.js|undici-)/,
      'vendor/cpython-emscripten',
      /^dist\/(?!bundle|bin).*\.d\.ts$/,
    ],
    // A third of its size, and few worlds run it.
    compressed: ['vendor/cpython-emscripten/python.wasm', 'vendor/cpython-emscripten/python.cjs'],
    // Files that are compressed one by one take a third more than all at once.
    archives: ['vendor/cpython-emscripten/python313.zip'],
    entry: 'dist/bundle/index.js',
    types: 'dist/index.js',
    type: 'module',
  },
  '@huggingface/tokenizers': {
    files: ['dist/tokenizers.min.mjs'],
    entry: 'dist/tokenizers.min.mjs',
    type: 'module',
  },
  // The part for Node.js alone.
  '@sqlite.org/sqlite-wasm': {
    files: ['dist/node.mjs', 'dist/sqlite3.wasm'],
    compressed: ['dist/sqlite3.wasm'],
    // Two fifths of it are comments.
    pruned: ['dist/node.mjs'],
    entries: {
      '@sqlite.org/sqlite-wasm': 'dist/node.mjs',
      '@sqlite.org/sqlite-wasm/sqlite3.wasm': 'dist/sqlite3.wasm.br',
    },
    type: 'module',
  },
  '7z-wasm': {
    files: ['7zz.umd.js', '7zz.wasm'],
    compressed: ['7zz.wasm'],
    entries: { '7z-wasm': '7zz.umd.js', '7z-wasm/7zz.wasm': '7zz.wasm.br' },
  },
  // Without its extensions of C, of which a world has the same from Node.js.
  'quickjs-wasi': {
    files: [/^dist\/[\w-]+\.js$/, 'quickjs.wasm'],
    compressed: ['quickjs.wasm'],
    pruned: ['dist/index.js', 'dist/extensions.js'],
    entries: {
      'quickjs-wasi': 'dist/index.js',
      'quickjs-wasi/quickjs.wasm': 'quickjs.wasm.br',
    },
    type: 'module',
  },
  'isomorphic-git': { files: ['index.umd.min.js'], entry: 'index.umd.min.js' },
  // Its binary alone: the scripts around it are three times as much.
  'jq-wasm': {
    files: ['dist/build/jq.wasm'],
    compressed: ['dist/build/jq.wasm'],
    entry: 'dist/build/jq.wasm.br',
    specifier: 'jq-wasm/jq.wasm',
  },
  '@orama/stemmers': {
    files: LANGUAGE_FILES,
    entries: byLanguage('@orama/stemmers'),
    type: 'module',
  },
  '@orama/stopwords': {
    files: LANGUAGE_FILES,
    entries: byLanguage('@orama/stopwords'),
    type: 'module',
  },
  turndown: { files: ['lib/turndown.cjs.js'], entry: 'lib/turndown.cjs.js' },
  '@mixmark-io/domino': { files: ['lib'], entry: 'lib/index.js' },
  // What documents are read with. The large ones are unpacked by the thread that reads.
  unpdf: {
    files: ['dist/pdfjs.mjs'],
    compressed: ['dist/pdfjs.mjs'],
    entry: 'dist/pdfjs.mjs.br',
    specifier: 'unpdf/pdfjs',
  },
  mammoth: {
    files: ['mammoth.browser.min.js'],
    compressed: ['mammoth.browser.min.js'],
    entry: 'mammoth.browser.min.js.br',
    specifier: 'mammoth/mammoth.browser.min.js',
  },
  'postal-mime': {
    files: [/^dist\/esm\/[^/]*\.js$/],
    entry: 'dist/esm/postal-mime.js',
    type: 'module',
  },
  exifreader: { files: ['dist/exif-reader.js'], entry: 'dist/exif-reader.js' },
  '@mozilla/readability': {
    files: [/^(?:index|Readability.*)\.js$/],
    pruned: ['Readability.js'],
    entry: 'index.js',
  },
  sax: { files: ['lib/sax.js'], entry: 'lib/sax.js' },
  // Of it and of what it is made of, what is used: a tenth. Nothing checks what a server promises of
  // its answers, so that its two engines for that stay out.
  '@modelcontextprotocol/client': {
    files: [],
    bundle: {
      exports: {
        '@modelcontextprotocol/client': [
          'Client',
          'ProtocolError',
          'SdkError',
          'SdkErrorCode',
          'SdkHttpError',
          'StreamableHTTPClientTransport',
          'UnauthorizedError',
          'deserializeMessage',
          'serializeMessage',
        ],
      },
      instead: {
        '@modelcontextprotocol/client/_shims':
          'export const CORS_IS_POSSIBLE = false; export class DefaultJsonSchemaValidator {}',
      },
      external: [/^node:/, /^zod(?:\/|$)/],
    },
    entry: 'bundle.js',
    type: 'module',
  },
  // The stable protocol alone, of its agent's side.
  '@agentclientprotocol/sdk': {
    files: [],
    bundle: {
      exports: {
        '@agentclientprotocol/sdk': [
          'PROTOCOL_VERSION',
          'RequestError',
          'agent',
          'methods',
          'ndJsonStream',
        ],
      },
      instead: {},
      external: [/^node:/, /^zod(?:\/|$)/],
    },
    entry: 'bundle.js',
    type: 'module',
  },
  // What the console's page is made with, as browsers take it.
  preact: {
    files: ['dist/preact.mjs', 'hooks/dist/hooks.mjs'],
    entries: { preact: 'dist/preact.mjs', 'preact/hooks': 'hooks/dist/hooks.mjs' },
    type: 'module',
  },
  htm: { files: ['dist/htm.mjs'], entry: 'dist/htm.mjs', type: 'module' },
  uplot: {
    files: ['dist/uPlot.esm.js', 'dist/uPlot.min.css'],
    pruned: ['dist/uPlot.esm.js'],
    entries: {
      'uplot/dist/uPlot.esm.js': 'dist/uPlot.esm.js',
      'uplot/dist/uPlot.min.css': 'dist/uPlot.min.css',
    },
    type: 'module',
  },
  // Of the router and what describes its routes, what the server uses.
  hono: {
    files: [],
    bundle: {
      exports: {
        '@hono/zod-openapi': ['OpenAPIHono', 'createRoute', 'z'],
        'hono/body-limit': ['bodyLimit'],
        'hono/cookie': ['deleteCookie', 'getCookie', 'setCookie'],
        'hono/http-exception': ['HTTPException'],
        'hono/secure-headers': ['secureHeaders'],
        'hono/streaming': ['streamSSE'],
      },
      instead: {},
      external: [/^node:/, /^zod(?:\/|$)/],
    },
    entries: {
      '@hono/zod-openapi': 'bundle.js',
      'hono/body-limit': 'bundle.js',
      'hono/cookie': 'bundle.js',
      'hono/http-exception': 'bundle.js',
      'hono/secure-headers': 'bundle.js',
      'hono/streaming': 'bundle.js',
      hono: 'bundle.js',
    },
    type: 'module',
  },
  '@hono/node-server': {
    files: [],
    bundle: {
      exports: { '@hono/node-server': ['getRequestListener'] },
      instead: {},
      external: [/^node:/],
    },
    entry: 'bundle.js',
    type: 'module',
  },
  // One module of it, without the speed-ups that are compiled at their installation.
  ssh2: {
    files: [],
    bundle: {
      exports: { ssh2: ['default'] },
      instead: {
        './crypto/build/Release/sshcrypto.node': 'throw new Error("not compiled");',
        'cpu-features': 'throw new Error("not compiled");',
      },
      external: [/^node:/],
    },
    entry: 'bundle.js',
    type: 'module',
  },
  // The same of the server's: what a client's person answers is checked by the door itself.
  '@modelcontextprotocol/server': {
    files: [],
    bundle: {
      exports: {
        '@modelcontextprotocol/server': [
          'CLIENT_CAPABILITIES_META_KEY',
          'MissingRequiredClientCapabilityError',
          'ProtocolError',
          'ProtocolErrorCode',
          'ResourceNotFoundError',
          'Server',
          'WebStandardStreamableHTTPServerTransport',
          'createMcpHandler',
          'createRequestStateCodec',
          'inputRequired',
          'isInitializeRequest',
          'isLegacyRequest',
        ],
        '@modelcontextprotocol/server/stdio': ['StdioServerTransport', 'serveStdio'],
      },
      instead: {
        '@modelcontextprotocol/server/_shims':
          "import process from 'node:process'; export { process }; export class DefaultJsonSchemaValidator {}",
      },
      external: [/^node:/, /^zod(?:\/|$)/],
    },
    entries: {
      '@modelcontextprotocol/server': 'bundle.js',
      '@modelcontextprotocol/server/stdio': 'bundle.js',
    },
    type: 'module',
  },
};

/** Packages, and the file that is meant, by what they are imported by: their names, but for parts of them. */
const BY_SPECIFIER = new Map(
  Object.entries(VENDORED).flatMap(([name, { specifier = name, entry, entries }]) =>
    Object.entries(entries ?? { [specifier]: entry }).map(([each, file]) => [
      each,
      { name, entry: file },
    ]),
  ),
);
const SPECIFIERS = [...BY_SPECIFIER.keys()].map((each) => each.replace(/[./]/g, '\\$&'));
/** An import, a re-export, a dynamic import, a `require` or a look at the place of one of them, by its whole name. */
const SPECIFIER = new RegExp(
  `((?:\\b(?:from|import|require)|\\.resolve)\\s*\\(?\\s*)(["'])(${SPECIFIERS.join('|')})\\2`,
  'g',
);

/** The best quality takes half a minute, for a tenth less. */
const ARCHIVE = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
};

const filesBelow = (directory) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'));

/** @param modules node_modules @param dist what was compiled */
export async function vendor(modules, dist) {
  const below = join(dist, 'vendor');
  const { list, pack } = await import(pathToFileURL(join(dist, 'src', 'zip.js')).href);
  for (const [name, each] of Object.entries(VENDORED)) {
    const { files, bundle, compressed = [], archives = [], pruned = [], type = 'commonjs' } = each;
    const from = join(modules, name);
    const to = join(below, name);
    const isTaken = (file) =>
      files.some((each) =>
        typeof each === 'string' ? file === each || file.startsWith(`${each}/`) : each.test(file),
      );
    const taken = filesBelow(from).filter(isTaken);
    if (taken.length === 0 && files.length > 0)
      throw new Error(`${name} has none of ${files.join(', ')}`);
    if (bundle !== undefined) await bundled(bundle, join(to, 'bundle.js'));
    for (const file of [
      ...taken,
      ...[
        'LICENSE',
        'LICENSE.md',
        'LICENSE.txt',
        'License.txt',
        'unRarLicense.txt',
        'NOTICE',
      ].filter((each) => existsSync(join(from, each))),
    ]) {
      mkdirSync(dirname(join(to, file)), { recursive: true });
      if (compressed.includes(file)) {
        writeFileSync(join(to, `${file}.br`), brotliCompressSync(readFileSync(join(from, file))));
      } else if (archives.includes(file)) {
        const members = list(readFileSync(join(from, file)));
        const stored = pack(
          members.map(({ read, ...member }) => ({ ...member, data: read() })),
          0,
        );
        writeFileSync(join(to, `${file}.br`), brotliCompressSync(stored, ARCHIVE));
      } else if (pruned.includes(file)) {
        writeFileSync(join(to, file), withoutComments(readFileSync(join(from, file), 'utf8')));
      } else {
        cpSync(join(from, file), join(to, file));
      }
    }
    const { version, license } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    const manifest = { name, version, license, type };
    writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  }
  vendorNodeLibrary(modules, below);
  for (const file of filesBelow(dist)) {
    if (/\.(js|d\.ts)$/.test(file)) rewrite(join(dist, file), below);
  }
}

/** Writes what is used of a package, with what that imports, as one module. */
async function bundled({ exports, instead, external }, file) {
  // Of those who build: nothing that is installed needs it.
  const { build } = await import('vite');
  const entry = 'dirigent:entry';
  const statements = Object.entries(exports).map(
    ([module, names]) => `export { ${names.join(', ')} } from '${module}';`,
  );
  const written = { [entry]: statements.join('\n'), ...instead };
  await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [
      {
        name: 'dirigent-bundle',
        enforce: 'pre',
        resolveId: (id) => (id in written ? `\0${id}` : undefined),
        load: (id) => written[id.slice(1)],
      },
    ],
    ssr: { noExternal: true },
    // Of packages that are no modules: one has it, and uses it for what is not there.
    define: { __dirname: 'import.meta.dirname' },
    build: {
      ssr: true,
      minify: true,
      target: 'node22',
      outDir: dirname(file),
      emptyOutDir: false,
      rollupOptions: { input: entry, external, output: { entryFileNames: basename(file) } },
    },
  });
}

/** A script without the comments that have lines of their own. */
const withoutComments = (source) =>
  source.replace(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n/gm, '').replace(/^[ \t]*\/\/.*\n/gm, '');

/** Those modules of Node.js's own library that scripts of a world run on. Its licence is in NOTICE. */
function vendorNodeLibrary(modules, below) {
  const extract = join(import.meta.dirname, 'node-library.mjs');
  const node = join(modules, 'node', 'bin', 'node');
  const run = spawnSync(node, ['--no-deprecation', extract], { maxBuffer: 64 * 1024 * 1024 });
  if (run.status !== 0) throw new Error(`Node.js's library could not be read: ${run.stderr}`);
  const to = join(below, 'node-library');
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, 'library.json.br'), brotliCompressSync(run.stdout));
}

function rewrite(file, below) {
  const source = readFileSync(file, 'utf8');
  const isTyping = file.endsWith('.d.ts');
  const written = source.replace(SPECIFIER, (_, before, quote, specifier) => {
    const { name, entry } = BY_SPECIFIER.get(specifier);
    const { types = entry } = VENDORED[name];
    const target = join(below, name, isTyping ? types : entry);
    const path = relative(dirname(file), target).split(sep).join('/');
    return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });
  // Its declarations name a package that only its bundle has; Node's own types bring that one's.
  const typed = isTyping
    ? written.replace(/import\((["'])undici\1\)/g, 'import("undici-types")')
    : written;
  if (typed !== source) writeFileSync(file, typed);
}
