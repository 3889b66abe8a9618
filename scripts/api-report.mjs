// What the package's two doors export, as text: `npm run api` writes it to api/,
// and a test compares, so that a changed export is a diff that somebody reads.
// The text is made of the declarations that the compiler writes: what stands
// there is what a program of somebody else's is checked against.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The doors of package.json: what a program imports, and the module behind it. */
const DOORS = [
  { name: 'dirigent', module: 'entry/index', report: 'api/dirigent.api.md' },
  { name: 'dirigent/mount', module: 'src/mount/index', report: 'api/dirigent-mount.api.md' },
  {
    name: 'dirigent/mount/testing',
    module: 'src/mount-testing/index',
    report: 'api/dirigent-mount-testing.api.md',
  },
  { name: 'dirigent/command', module: 'src/command', report: 'api/dirigent-command.api.md' },
  { name: 'dirigent/ai-sdk', module: 'entry/ai-sdk', report: 'api/dirigent-ai-sdk.api.md' },
  {
    name: 'dirigent/deepagents',
    module: 'entry/deepagents',
    report: 'api/dirigent-deepagents.api.md',
  },
  { name: 'dirigent/parts', module: 'entry/parts', report: 'api/dirigent-parts.api.md' },
  {
    name: 'dirigent/parts/testing',
    module: 'src/parts-testing/index',
    report: 'api/dirigent-parts-testing.api.md',
  },
  { name: 'dirigent/eve', module: 'entry/eve', report: 'api/dirigent-eve.api.md' },
];

/** @returns {{ report: string, text: string }[]} the reports, with their places from the root */
export function apiReports() {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-api-'));
  try {
    emitDeclarations(directory);
    const modules = new Modules(directory);
    return DOORS.map((door) => ({ report: door.report, text: render(door, modules) }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function emitDeclarations(directory) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.api.json', '--outDir', directory], {
    cwd: root,
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`the declarations cannot be made:\n${run.stdout}`);
}

/** The modules of the package by their declarations, each parsed once. */
class Modules {
  #directory;
  #parsed = new Map();

  constructor(directory) {
    this.#directory = directory;
  }

  /** @param {string} name from the root, without an extension: `src/mount/index` */
  get(name) {
    const known = this.#parsed.get(name);
    if (known !== undefined) return known;
    const text = readFileSync(join(this.#directory, `${name}.d.ts`), 'utf8');
    const { program, errors } = parseSync(`${name}.d.ts`, text);
    if (errors.length > 0) throw new Error(`${name}.d.ts: ${errors[0].message}`);
    const module = { name, imports: new Map(), exports: new Map(), declared: new Map() };
    for (const node of program.body) read(node, module, text);
    this.#parsed.set(name, module);
    return module;
  }

  /** The declarations behind a name that a module exports; none for what is not the package's own. */
  exported(name, exportName) {
    const target = this.get(name).exports.get(exportName);
    if (target === undefined) throw new Error(`${name} exports no ${exportName}`);
    if (target.from === null) return this.local(name, target.name);
    return target.from.startsWith('.')
      ? this.exported(resolved(name, target.from), target.name)
      : [];
  }

  /** The declarations behind a name as a module itself uses it. */
  local(name, localName) {
    const module = this.get(name);
    const declared = module.declared.get(localName);
    if (declared !== undefined) return declared.map((each) => ({ ...each, module: name }));
    const target = module.imports.get(localName);
    return target?.from.startsWith('.') && target.name !== '*'
      ? this.exported(resolved(name, target.from), target.name)
      : [];
  }
}

/** Notes what one statement imports, exports and declares. */
function read(node, module, text) {
  if (node.type === 'ImportDeclaration') {
    for (const { local, imported, type } of node.specifiers) {
      const name =
        type === 'ImportSpecifier' ? imported.name : type.includes('Default') ? 'default' : '*';
      module.imports.set(local.name, { from: node.source.value, name });
    }
    return;
  }
  if (node.type === 'ExportAllDeclaration') throw new Error(`${module.name}: names, not export *`);
  if (node.type === 'ExportDefaultDeclaration') return;
  const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
  for (const { local, exported } of node.specifiers ?? []) {
    module.exports.set(exported.name, { from: node.source?.value ?? null, name: local.name });
  }
  for (const name of namesOf(declaration)) {
    const same = module.declared.get(name) ?? [];
    same.push({ name, node: declaration, text: text.slice(declaration.start, declaration.end) });
    module.declared.set(name, same);
    if (node !== declaration) module.exports.set(name, { from: null, name });
  }
}

function namesOf(declaration) {
  if (declaration?.type === 'VariableDeclaration')
    return declaration.declarations.map(({ id }) => id.name);
  return declaration?.id?.type === 'Identifier' ? [declaration.id.name] : [];
}

function resolved(from, specifier) {
  const path = join(dirname(from), specifier).replaceAll('\\', '/');
  return path.replace(/(\.d)?\.[jt]s$/, '');
}

/** The names that a declaration refers to. Keys of members are no references. */
function* references(node) {
  if (Array.isArray(node)) for (const each of node) yield* references(each);
  else if (node !== null && typeof node === 'object') {
    if (node.type === 'Identifier') yield node.name;
    for (const [key, value] of Object.entries(node)) {
      if (key === 'key' && node.computed !== true) continue;
      yield* references(value);
    }
  }
}

/** Private members are written down by name alone: they are nobody's else. */
const shown = (text) =>
  text
    .replaceAll(/^\s*(?:private .*|#private);\n/gm, '')
    .replaceAll(/^(?:export )?declare /g, '')
    .replaceAll(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2));

/** The report of a door: what it exports, and below it what that refers to. */
function render({ name, module }, modules) {
  const seen = new Set();
  const take = (declarations) =>
    declarations.filter((each) => {
      const id = `${each.module}:${each.node.start}`;
      return !seen.has(id) && seen.add(id);
    });
  const exports = [...modules.get(module).exports.keys()].sort();
  const own = exports.flatMap((each) => take(modules.exported(module, each)));
  const foreign = exports.filter((each) => modules.exported(module, each).length === 0);
  const reached = [];
  for (let front = own; front.length > 0; ) {
    front = front.flatMap((each) =>
      [...new Set(references(each.node))].flatMap((to) => take(modules.local(each.module, to))),
    );
    reached.push(...front);
  }
  reached.sort((a, b) =>
    a.name === b.name ? (a.text < b.text ? -1 : 1) : a.name < b.name ? -1 : 1,
  );
  const block = (declarations) =>
    `\`\`\`ts\n${declarations.map((d) => shown(d.text)).join('\n\n')}\n\`\`\`\n`;
  return [
    `# The exports of \`${name}\`\n`,
    'Written by `npm run api`; a change here is a change for everyone who uses the package.\n',
    `Names: ${exports.map((each) => `\`${each}\``).join(', ')}.\n`,
    ...(foreign.length === 0
      ? []
      : [`Of other packages: ${foreign.map((each) => `\`${each}\``).join(', ')}.\n`]),
    block(own),
    ...(reached.length === 0 ? [] : ['## What these refer to\n', block(reached)]),
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { report, text } of apiReports()) {
    mkdirSync(dirname(join(root, report)), { recursive: true });
    writeFileSync(join(root, report), text);
    process.stdout.write(`${relative('.', join(root, report))}\n`);
  }
}
