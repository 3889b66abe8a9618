/** The parts of a world that share one thread, put together: mount table, namespaces, shims, shell. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getCommandNames } from 'just-bash';
import { createShims } from '../../shims/index.ts';
import { changesFile } from '../changes/file.ts';
import type { Change } from '../changes/index.ts';
import { type Conceal, concealing } from '../conceal.ts';
import { type FsError, isFsError } from '../errors.ts';
import { loadMemfs } from '../memory-tree/memfs.ts';
import type { MemoryOp } from '../memory-tree/op.ts';
import { Namespace } from '../namespace/namespace.ts';
import { MountTable } from '../namespace/table.ts';
import type { Acting } from '../policy/acting.ts';
import { ScheduleJournal, type ScheduleStep, scheduleFile } from '../schedule/journal.ts';
import type { SearchAnswer, SearchService } from '../search/contract.ts';
import { createWorldSearch } from '../search/mounted.ts';
import { sessionPlace } from '../session/place.ts';
import type { Background } from '../shell/background.ts';
import type { Network, ShimHost } from '../shell/command.ts';
import type { HostPrograms } from '../shell/host-programs.ts';
import { createShell, type OnOutput, type Shell } from '../shell/shell.ts';
import type { ShellTerminal } from '../shell/terminal.ts';
import { documentFormat, textPath } from '../texts/names.ts';
import { pageAt } from '../texts/pages.ts';
import { ConvertedTexts, type DocumentTexts } from '../texts/texts.ts';
import { type Attached, type AttachOptions, attachMounts, pointOf } from './attach.ts';
import type { NetworkOptions } from './network.ts';
import { nobodyYet, Policing } from './policing.ts';
import type { JournalStep, MountSpec, WorldSpec } from './protocol.ts';
import { loadShims } from './shim-modules.ts';

/** Who is told what happens in an assembled world. */
export interface AssemblyListeners {
  onOutput?: OnOutput;
  onMemoryChange: (point: string, change: MemoryOp) => void;
  /** A step of a change in the journal, and the point of its mount. */
  onChange: (change: Change, point: string) => void;
  /** A line for stderr, such as "showing data from 12:03"; `point`: of the service whose words may be in it. */
  onNotice: (text: string, point: string) => void;
  /** A step of the journals of what people are asked, and of the schedule. */
  onStep: (step: JournalStep) => void;
  /** How many operations wait for a person now. */
  onParked: (waiting: number) => void;
  /** What another program has open of a directory. */
  buffers?: AttachOptions['buffers'];
  /** Carries out jobs that outlive their line. */
  background?: Background;
  /** Asks for the credential of a mount. */
  askCredential?: AttachOptions['askCredential'];
  /** Has a program of the host run. */
  runProgram?: HostPrograms['run'];
}

/** What a world is made of, within its thread. */
export interface Assembly {
  shell: Shell;
  /** The agent's file system, and the host's, over the same mounts and the same gate. */
  agent: Namespace;
  host: Namespace;
  /** A file system for one call, on behalf of someone. */
  fsFor(acting: Acting): Namespace;
  /** Who acts in the shell; whoever runs a command sets it. */
  acting: Acting;
  /** The terminal of the command that runs; whoever runs it sets it. */
  terminal: { now: ShellTerminal | null };
  policing: Policing;
  /** The search, as somebody has it who may read what `fs` reads. */
  searchAs(fs: Namespace): SearchService;
  table: MountTable;
  /** The texts of documents. */
  texts: DocumentTexts;
  attached: Attached;
  /** The names of all commands, built-in ones and shims, sorted. */
  commands: string[];
  /** What can be done before it is needed. */
  ahead: readonly (() => Promise<unknown>)[];
}

/** Puts a world together from its spec. Nothing of it outlives the thread unless a listener keeps it. */
export async function assembleWorld(
  spec: WorldSpec,
  listeners: AssemblyListeners,
): Promise<Assembly> {
  const table = new MountTable();
  // Code of the deployment's own may bring anything.
  const modules = new Set(
    spec.mounts.filter(({ source }) => 'module' in source).map(({ point }) => point),
  );
  const { conceal, askCredential } = concealed(spec, listeners.askCredential);
  const marks = existsSync(spec.sessions) ? changesFile(spec.sessions) : ':memory:';
  const policing = new Policing({
    table,
    policy: spec.policy,
    hooks: spec.hooks,
    engine: spec.engine,
    commandLine: spec.commandLine,
    session: spec.session,
    journal: spec.state === null ? ':memory:' : join(spec.state, 'changes.sqlite'),
    marks: {
      file: marks,
      session: spec.session,
      ancestors: spec.ancestors ?? [],
      workspace: spec.workspace ?? null,
    },
    isOutside: (point) => modules.has(point) || table.at(point)?.mount.transactional === true,
    network: (spec.network ?? []).length > 0,
    change: (id) => attached.changes().get(id),
    pointOf: (mount) => pointOf(table, mount) ?? mount,
    onStep: listeners.onStep,
    onParked: listeners.onParked,
  });
  const texts = new ConvertedTexts({
    directory: spec.state === null ? null : join(spec.state, 'texts'),
    ocr: spec.ocr,
  });
  const fsFor = (who: Acting): Namespace =>
    new Namespace({
      table,
      texts,
      gate: policing.gate,
      timeoutMs: spec.operationTimeoutMs,
      origin: who.context.origin,
      keeper: policing.keeperOf(who),
      watch: () => who.watch ?? null,
      conceal,
    });
  const acting = nobodyYet('shell');
  const agent = fsFor(acting);
  const host = fsFor(nobodyYet('host'));
  const index = spec.state === null ? ':memory:' : join(spec.state, 'index.sqlite');
  // The index is everybody's: what it reads, and when, is no reading of whoever acts meanwhile.
  const indexer = new Namespace({
    table,
    texts,
    gate: policing.gate,
    timeoutMs: spec.operationTimeoutMs,
    origin: 'host',
    conceal,
  });
  const search = createWorldSearch({ table, fs: indexer, file: index, files: spec.search });
  const terminal: { now: ShellTerminal | null } = { now: null };
  const shimHost: ShimHost = {
    fs: agent,
    search: screened(search, agent),
    terminal: () => terminal.now,
    mounts: () =>
      table.attachments.map(({ point, mount, access }) => ({
        point,
        kind: mount.kind,
        mode: access.mode,
        capacity: () => mount.capacity?.() ?? null,
      })),
    programs: programsOf(spec, listeners),
    network: await networkOf(spec.network ?? [], {
      permit: (call) => policing.permitTool(acting, call),
      noteRead: (url) => policing.noteNetwork(acting, url),
    }),
  };
  const own = await loadShims(spec.shims ?? [], shimHost);
  const shims = createShims(shimHost, { programs: spec.programs, own });
  const commands = [
    ...new Set([...getCommandNames(), ...shims.commands.map(({ name }) => name)]),
  ].sort();
  const attached: Attached = await attachMounts({
    mounts: spec.mounts,
    sources: spec.sources,
    table,
    commands,
    state: spec.state,
    marks,
    conceal,
    search,
    sessions: sessionPlace(spec.sessions, spec.store),
    onChange: (change, point) => {
      policing.stepped(change, point);
      listeners.onChange(change, point);
    },
    approvals: () => policing.approvals(),
    questions: () => policing.questions(),
    schedule: scheduleOf(spec, (step) => listeners.onStep({ type: 'schedule', step })),
    author: () => policing.author(),
    onMemoryChange: listeners.onMemoryChange,
    onNotice: listeners.onNotice,
    ...(listeners.buffers === undefined ? {} : { buffers: listeners.buffers }),
    ...(askCredential === undefined ? {} : { askCredential }),
  });
  // Without a place to keep it, an index would be built for this world alone.
  if (spec.state !== null && spec.search?.background !== false) search.buildSoon();
  const shell = createShell({
    fs: agent,
    commands: shims.commands,
    plain: shims.plain,
    cwd: spec.cwd,
    env: spec.env,
    ...(listeners.onOutput === undefined ? {} : { onOutput: listeners.onOutput }),
    ...(listeners.background === undefined ? {} : { background: listeners.background }),
    ...(spec.shell === null ? {} : { state: spec.shell }),
  });
  const ahead = [...shims.ahead, async () => loadMemfs()];
  return {
    shell,
    agent,
    host,
    fsFor,
    acting,
    terminal,
    policing,
    searchAs: (fs) => screened(search, fs),
    table,
    texts,
    attached,
    commands,
    ahead,
  };
}

/** null where the deployment names no program, or nobody listens who could run one. */
function programsOf(
  { hostPrograms: names = [] }: WorldSpec,
  { runProgram }: AssemblyListeners,
): HostPrograms | null {
  return names.length === 0 || runProgram === undefined ? null : { names, run: runProgram };
}

/** Loaded where hosts are allowed: importing node:http has Node load all of its fetch, a tenth of a world's start. */
async function networkOf(
  allow: readonly string[],
  told: Pick<NetworkOptions, 'permit' | 'noteRead'>,
): Promise<Network | null> {
  if (allow.length === 0) return null;
  const { createNetwork } = await import('./network.ts');
  return createNetwork({ allow, ...told });
}

/** The credential of a mount; that of one without is undefined. */
const secretsOf = ({ source }: MountSpec): (string | undefined)[] =>
  source.kind === 'service' ? [source.token, ...(source.secrets ?? [])] : [];

/** What takes the credentials of mounts out of texts, those that are given later among them. */
function concealed(
  { mounts }: WorldSpec,
  ask: AttachOptions['askCredential'],
): { conceal: Conceal; askCredential: AttachOptions['askCredential'] } {
  const secrets = new Set(mounts.flatMap(secretsOf));
  let conceal = concealing(secrets);
  const askCredential: AttachOptions['askCredential'] =
    ask &&
    (async (request, rejected) => {
      const held = await ask(request, rejected);
      if (held !== null) conceal = concealing(secrets.add(held.value));
      return held;
    });
  return { conceal: (text) => conceal(text), askCredential };
}

/** The schedule is opened when it is first written, or when it is looked at and there is one. */
function scheduleOf({ sessions }: WorldSpec, onStep: (step: ScheduleStep) => void) {
  const file = existsSync(sessions) ? scheduleFile(sessions) : ':memory:';
  let journal: ScheduleJournal | null = null;
  return (needed: boolean): ScheduleJournal | null => {
    if (journal !== null || (!needed && !existsSync(file))) return journal;
    journal = new ScheduleJournal(file);
    journal.onStep(onStep);
    return journal;
  };
}

/** A search that shows of each file what a read of it would have shown. */
function screened(search: SearchService, fs: Namespace): SearchService {
  return {
    state: (paths, wait) => search.state(paths, wait),
    ask: async (question) => {
      // What may not be read takes no place away from what may.
      for (let limit = question.limit; ; limit *= 4) {
        const result = await search.ask({ ...question, limit });
        const { answers, refused } = await screen(result.answers, fs, question.limit);
        const all = result.answers.length < limit;
        if (refused.length > 0 && answers.length < question.limit && !all) continue;
        return { ...result, answers, trouble: [...(result.trouble ?? []), ...refused] };
      }
    },
  };
}

/** An answer out of a document, by the page that its line stands on; what is before the first one is in its text alone. */
async function onPage(answer: SearchAnswer, fs: Namespace): Promise<SearchAnswer> {
  if (documentFormat(answer.path) === null) return answer;
  const place = pageAt(await fs.documentText(answer.path), answer.line);
  return place === null ? { ...answer, path: textPath(answer.path) } : { ...answer, ...place };
}

/** The first answers that may be shown, as they may be shown, and why others may not: each file once. */
async function screen(
  found: readonly SearchAnswer[],
  fs: Namespace,
  limit: number,
): Promise<{ answers: SearchAnswer[]; refused: FsError[] }> {
  const answers: SearchAnswer[] = [];
  const refused = new Map<string, FsError>();
  for (const answer of found) {
    if (answers.length === limit) break;
    if (refused.has(answer.path)) continue;
    try {
      const text = await fs.screen(answer.path, answer.text);
      const passage = await fs.screen(answer.path, answer.passage);
      answers.push(await onPage({ ...answer, text, passage }, fs));
    } catch (error) {
      if (!isFsError(error)) throw error;
      refused.set(answer.path, error);
    }
  }
  return { answers, refused: [...refused.values()] };
}
