/** `dirigent session`: what happened in the sessions of a state directory, and going back in one. */
import fs from 'node:fs';
import { join } from 'node:path';
import { FsError } from '../errors.ts';
import { reviveMarks } from '../policy/host-marks.ts';
import { HOST } from '../policy/marks.ts';
import { SessionFile, type SessionPlace } from '../session/file.ts';
import { sessionIds } from '../session/mount.ts';
import { resumeSession } from '../session/open.ts';
import { exactSnapshotAt } from '../session/workspace/index.ts';
import { joined, visible, visibleLines, visibleName } from '../visible.ts';
import { type CheckedConfig, checkConfig } from '../world/config.ts';
import { type Host, planMounts, stateDirectory } from '../world/plan.ts';
import { placeOf } from '../world/session-place.ts';
import { resolveId } from './ids.ts';
import type { Installation } from './installation.ts';
import type { SessionArguments } from './options.ts';
import type { Output } from './output.ts';
import { suggested } from './place.ts';
import { listSessions, readBranch } from './session-text.ts';
import { setUpWorld } from './setup.ts';

/** What the verbs need. */
interface Context {
  options: SessionArguments;
  output: Output;
  place: SessionPlace;
  state: string;
  host: Host;
}

/** Runs `dirigent session`, and gives its exit status. */
export async function runSession(
  options: SessionArguments,
  output: Output,
  installation: Installation,
): Promise<number> {
  const proof = proofFile(options);
  if (proof !== null) {
    const { verifyProofFile } = await import('./session-proof.ts');
    return verifyProofFile(proof, options, output);
  }
  const cwd = process.cwd();
  const { config, deployment } = await setUpWorld(
    { ...options, mounts: [], dryRun: false },
    installation,
    cwd,
  );
  const host: Host = { deployment, cwd, env: process.env };
  const checked = checkConfig(await installation.sources(), config);
  const state = stateDirectory(checked, host);
  const place = placeOf(checked, host, state);
  try {
    return await runVerb({ options, output, place, state, host }, checked);
  } finally {
    place.store.close?.();
  }
}

async function runVerb(context: Context, checked: CheckedConfig): Promise<number> {
  const { options, output, place } = context;
  switch (options.verb) {
    case 'ls':
      return list(context);
    case 'verify': {
      const { verifySessions } = await import('./session-proof.ts');
      const ids = options.all ? sessionIds(place) : [sessionIdOf(context)];
      return verifySessions(place, ids, options, output);
    }
    case 'key': {
      const { printKey } = await import('./session-proof.ts');
      return printKey(place, options, output);
    }
    case 'fork':
      return options.inPlace
        ? forkInPlace(context, workspaceRoot(checked, context))
        : fork(context);
    case 'label':
      return label(context);
    case 'gc':
      return collect(context);
    case 'rm':
      return remove(context);
    default:
      return reading(context, async (file) => read(context, file));
  }
}

async function list({ place, output, options }: Context): Promise<number> {
  const { rows, more } = listSessions(place, options.all ? undefined : NEWEST);
  const lines = rows.map(({ line }) => visible`${line}\n`);
  const text = rows.length === 0 ? visible`no sessions\n` : joined(lines);
  if (more > 0) {
    const all = suggested(options.given, 'session ls --all');
    await output.err(visible`dirigent: ${more} older ones are not shown; "${all}" shows them\n`);
  }
  const json = rows.map(({ line: _, ...row }) => row);
  await (options.json ? output.json(json, 2) : output.out(text));
  return 0;
}

/** So many are listed unless all are asked for. */
const NEWEST = 20;

async function remove(context: Context): Promise<number> {
  const { place, options, output } = context;
  const { removeSession } = await import('../session/remove.ts');
  const ids = new Set(options.operands.map((name) => sessionNamed(context, name)));
  // The newest first: a fork goes before what it goes on from.
  for (const id of [...ids].sort().reverse()) {
    removeSession(place, id, ids);
    await (options.json ? output.json({ session: id }) : output.out(visible`${id} removed\n`));
  }
  return 0;
}

/** The verbs that only read one session. */
async function read(context: Context, file: SessionFile): Promise<number> {
  const { options, output, place } = context;
  const print = (text: string): Promise<boolean> =>
    output.out(visibleLines(text, { columns: output.columns('stdout'), patch: true }));
  switch (options.verb) {
    case 'tree': {
      const { treeText } = await import('../session/tree-text.ts');
      await output.out(visibleLines(treeText(file)));
      return 0;
    }
    case 'diff': {
      const { diffSnapshots } = await import('../session/workspace/diff.ts');
      const [before = '', after = ''] = options.operands.map((name) =>
        snapshotOf(context, file, name),
      );
      await print(diffSnapshots(place.blobs, before, after));
      return 0;
    }
    case 'export': {
      if (options.proof) {
        const { exportProof } = await import('./session-proof.ts');
        return exportProof(place, file, options, output, atGiven(context, file));
      }
      const { htmlPage } = await import('../session/html.ts');
      const page = htmlPage(file, readBranch(file, atOf(context, file)));
      if (options.output === undefined) await output.out(visibleLines(page));
      else fs.writeFileSync(options.output, page);
      return 0;
    }
    default: {
      const { showText } = await import('./session-text.ts');
      const { humanView } = await import('../session/human-view.ts');
      const items = humanView(readBranch(file, atOf(context, file)));
      await (options.json ? output.json(items, 2) : output.out(showText(file, items)));
      return 0;
    }
  }
}

async function collect({ place, output, options }: Context): Promise<number> {
  const { collectBlobs } = await import('../session/collect.ts');
  const found = collectBlobs(place, options);
  const { kept, young, removed, bytes } = found;
  const verb = options.dryRun ? 'would remove' : 'removed';
  const text = visible`${verb} ${removed} of ${kept + young + removed} blobs, ${bytes} bytes\n`;
  await (options.json ? output.json(found) : output.out(text));
  return 0;
}

async function fork(context: Context): Promise<number> {
  const { forkSession } = await import('../session/fork.ts');
  return reading(context, async (file) => {
    const at = resolveEntry(context, file, context.options.at ?? '');
    const { log, workspace, missing } = forkSession(context.place, file, at);
    log.close();
    const { options, output } = context;
    if (options.json) {
      const report = { session: log.id, parentSession: file.id, at, workspace, missing };
      await output.json(report);
      return 0;
    }
    await output.out(visible`${log.id}\n`);
    const opening = suggested(options.given, `sh --session ${log.id}`);
    await output.err(visible`open it with: ${opening}\n`);
    if (workspace === null)
      await output.err(
        visible`dirigent: no snapshot was taken before that entry: /workspace is empty\n`,
      );
    if (missing.length > 0) {
      const names = joined(
        missing.map((path) => visibleName(`/workspace${path}`)),
        ', ',
      );
      await output.err(
        visible`dirigent: not kept in the snapshot (too long, or not readable), and missing in the fork: ${names}\n`,
      );
    }
    return 0;
  });
}

async function forkInPlace(context: Context, root: Workspace): Promise<number> {
  const { travelInPlace } = await import('../session/fork.ts');
  const { StatCache } = await import('../session/workspace/index.ts');
  const { place, state, output, options } = context;
  const at = await reading(context, async (file) => resolveEntry(context, file, options.at ?? ''));
  const log = resumeSession(place, sessionIdOf(context));
  try {
    const own = log.header.workspace === undefined ? root.directory : null;
    const cache = new StatCache(join(state, 'workspace.index.json'));
    const { entry, restored } = travelInPlace(log, place, at, own, root.hidden, cache);
    // What was marked then is there again.
    if (own !== null) reviveMarks(state, { scope: HOST, path: own });
    else reviveMarks(state, { scope: log.id, path: '/workspace' });
    const report = { session: log.id, leaf: entry.id, at, restored };
    const text = joined(restored.map((path) => visible`${visibleName(`/workspace${path}`)}\n`));
    await (options.json ? output.json(report) : output.out(text));
    return 0;
  } finally {
    log.close();
  }
}

async function label(context: Context): Promise<number> {
  const { options, place } = context;
  const [name = '', text] = options.operands;
  const id = await reading(context, async (file) => resolveEntry(context, file, name));
  const log = resumeSession(place, sessionIdOf(context));
  try {
    log.label(id, text ?? null);
    return 0;
  } finally {
    log.close();
  }
}

/** Runs `work` on the session that was named; says on stderr what is broken in it. */
async function reading<T>(context: Context, work: (file: SessionFile) => Promise<T>): Promise<T> {
  const file = new SessionFile(context.place, sessionIdOf(context)).refresh();
  try {
    // A file without a header has nothing to show.
    void file.header;
    for (const { line, reason } of file.faults)
      await context.output.err(
        visible`dirigent: line ${line} of ${file.id} is broken: ${reason}\n`,
      );
    return await work(file);
  } finally {
    file.close();
  }
}

/** The file that `verify` was given in place of a session; null for none. */
function proofFile({ verb, session }: SessionArguments): string | null {
  if (verb !== 'verify' || session === undefined) return null;
  return /[^0-9A-Za-z]/.test(session) || fs.existsSync(session) ? session : null;
}

function sessionIdOf(context: Context): string {
  const { options, place } = context;
  if (options.session !== undefined) return sessionNamed(context, options.session);
  const latest = sessionIds(place).at(-1);
  if (latest !== undefined) return latest;
  throw new FsError('ENOENT', {
    path: place.files,
    op: 'open',
    reason: 'there are no sessions yet',
  });
}

function sessionNamed({ place, options }: Context, name: string): string {
  const names = suggested(options.given, 'session ls --all');
  return resolveId(sessionIds(place), name, { what: 'session', names });
}

/** The id that a label, an id or enough of one stands for. */
function resolveEntry({ options }: Context, file: SessionFile, name: string): string {
  const labelled = file.tree.labelled(name);
  const names = suggested(options.given, `session tree ${file.id}`);
  // A label may be one that several entries have; then they are told apart by their ids.
  if (labelled.length === 0) return resolveId(file.tree.ids(), name, { what: 'entry', names });
  const [only, ...more] = labelled;
  if (only !== undefined && more.length === 0) return only;
  throw new FsError('ENOENT', {
    path: name,
    op: 'open',
    reason: `"${name}" is the label of ${labelled.length}: ${labelled.join(', ')}; give the id`,
  });
}

const atOf = (context: Context, file: SessionFile): string | null =>
  atGiven(context, file) ?? file.tree.leaf;

/** The entry of `--at`; null without. */
function atGiven(context: Context, file: SessionFile): string | null {
  const { at } = context.options;
  return at === undefined ? null : resolveEntry(context, file, at);
}

function snapshotOf(context: Context, file: SessionFile, name: string): string {
  const id = resolveEntry(context, file, name);
  const snapshot = exactSnapshotAt(file, id);
  if (snapshot !== null) return snapshot;
  throw new FsError('ENOENT', {
    path: name,
    op: 'diff',
    reason: `no snapshot of /workspace was taken before entry ${id}`,
  });
}

interface Workspace {
  /** The directory on the host; null where /workspace is in memory. */
  directory: string | null;
  hidden: string[];
}

function workspaceRoot(config: CheckedConfig, { host, state }: Context): Workspace {
  const mounts = planMounts(config, host, state, { id: '', past: false, workspace: null });
  const source = mounts.find(({ point }) => point === '/workspace')?.source;
  return source?.kind === 'disk'
    ? { directory: fs.realpathSync.native(source.root), hidden: source.hidden }
    : { directory: null, hidden: [] };
}
