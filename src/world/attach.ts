/** In the worker: makes the mounts that a plan names, and the table they are attached in. */
import { join } from 'node:path';
import { type Change, type ChangeJournal, openChangeJournal } from '../changes/index.ts';
import type { Conceal } from '../conceal.ts';
import type { CredentialRequest, Renewable } from '../credentials/credential.ts';
import { BufferedMount } from '../disk/buffered.ts';
import type { Buffers } from '../disk/buffers.ts';
import { DiskMount } from '../disk/mount.ts';
import { ConfigError } from '../errors.ts';
import { HarnessMount } from '../harness/mount.ts';
import { MemoryMount } from '../memory-tree/mount.ts';
import type { MemoryOp } from '../memory-tree/op.ts';
import type { Mount } from '../mount/contract/contract.ts';
import type { ServiceMount } from '../mount/service/service-mount.ts';
import type { MountTable } from '../namespace/table.ts';
import { approvalText } from '../policy/approval.ts';
import type { ApprovalJournal } from '../policy/approvals.ts';
import { createAskedMount } from '../policy/asked-mount.ts';
import type { Author } from '../policy/author.ts';
import { questionText } from '../policy/question.ts';
import type { QuestionJournal } from '../policy/questions.ts';
import { openReplica, type Replica } from '../replica/index.ts';
import type { ScheduleJournal } from '../schedule/journal.ts';
import { createScheduleMount } from '../schedule/mount.ts';
import type { WorldSearch } from '../search/mounted.ts';
import type { SessionPlace } from '../session/file.ts';
import { createSessionMount } from '../session/mount.ts';
import { ownedBy } from '../session/owner.ts';
import type { SourceTable } from '../sources/source.ts';
import { createChangesMount } from '../system/changes.ts';
import { createBinMount, DeviceMount, RootMount } from '../system/index.ts';
import type { AskCredential } from './credential-calls.ts';
import type { MountSpec, SourceKind, SourceSpec, Usage } from './protocol.ts';

/** What the mounts of a world are made with. */
export interface AttachOptions {
  mounts: readonly MountSpec[];
  /** The URL of the module of all that can be mounted: see {@link SourceTable}. */
  sources: string | undefined;
  /** The table that the mounts are attached in. */
  table: MountTable;
  commands: readonly string[];
  state: string | null;
  /** Where it is kept which files hold text of services. */
  marks: string;
  /** Takes the credentials of the mounts out of what services said. */
  conceal: Conceal;
  /** The sessions and blobs of the world's state. */
  sessions: SessionPlace;
  approvals(): Promise<ApprovalJournal>;
  questions(): Promise<QuestionJournal>;
  /** The schedule; null while there is none and none is needed. */
  schedule(needed: boolean): ScheduleJournal | null;
  /** On whose behalf a mount is changed now. */
  author(): Author;
  /** Told of each service mount that is to be searched. */
  search: WorldSearch;
  onMemoryChange: (point: string, change: MemoryOp) => void;
  /** Told of every step of a change, and of the point of its mount. */
  onChange: (change: Change, point: string) => void;
  /** What another program has open of a directory. @param able what it can be asked for */
  buffers?(able: Pick<Buffers, 'reads' | 'writes'>): Buffers;
  /** Asks the deployment's own source for the credential of a mount. */
  askCredential?: AskCredential;
  /** A line for stderr, such as "showing data from 12:03". */
  onNotice: (text: string, point: string) => void;
}

/** What the attached mounts share. */
export interface Attached {
  /** The journal, opened when it is first needed. */
  changes(): ChangeJournal;
  /** The replica, if a service is mounted. */
  replica(): Replica;
  /** Done once it is known what came of the changes that processes that are gone left under way. */
  recovered: Promise<void>;
  usage(): Usage;
  close(): Promise<void>;
}

/** Attaches every mount of the plan. */
export async function attachMounts(options: AttachOptions): Promise<Attached> {
  const { table } = options;
  const file = (name: string): string =>
    options.state === null ? ':memory:' : join(options.state, name);
  let journal: ChangeJournal | undefined;
  let store: Replica | undefined;
  const changes = (): ChangeJournal => {
    if (journal === undefined) {
      journal = openChangeJournal(file('changes.sqlite'), { conceal: options.conceal });
      journal.onChange((change) =>
        options.onChange(change, pointOf(table, change.mount) ?? change.mount),
      );
    }
    return journal;
  };
  const replica = (): Replica => {
    store ??= openReplica(file('replica.sqlite'));
    return store;
  };
  for (const spec of options.mounts) {
    table.attach({
      point: spec.point,
      mount: await makeMount(spec.source, { spec, options, changes, replica }),
      access: spec.access,
      searchable: spec.searchable,
    });
  }
  const recovered =
    journal === undefined
      ? Promise.resolve()
      : recover(journal, (text, change) =>
          options.onNotice(text, pointOf(table, change.mount) ?? change.mount),
        );
  // Whoever awaits it meets the failure; nobody may be waiting yet.
  recovered.catch(() => undefined);
  return {
    changes,
    replica,
    recovered,
    usage: () => usageOf(table),
    close: async () => {
      await options.search.close();
      for (const { mount } of table.attachments) await mount.close?.();
      journal?.close();
      store?.close();
    },
  };
}

async function recover(
  journal: ChangeJournal,
  onNotice: (text: string, change: Pick<Change, 'mount'>) => void,
): Promise<void> {
  for (const { id, state, error } of await journal.recover()) {
    const change = journal.get(id);
    if (change === null) continue;
    const made = change.result === null ? '' : `, ${change.result.path}`;
    const what = `the ${change.op} of ${change.path}, left under way by a process that ended`;
    const why = error === undefined ? '' : `: ${error}`;
    onNotice(`change ${id}, ${what}: ${state}${made}${why}`, change);
  }
}

/** What a mount is made with. */
interface Making {
  spec: MountSpec;
  options: AttachOptions;
  changes(): ChangeJournal;
  replica(): Replica;
}

type Maker<Kind extends SourceKind> = (
  source: SourceSpec<Kind>,
  making: Making,
) => Mount | Promise<Mount>;

const MAKERS: { readonly [Kind in SourceKind]: Maker<Kind> } = {
  memory: ({ initial, maxBytes }, { spec: { point, searchable }, options }) =>
    new MemoryMount({
      searchable,
      initial,
      ...(maxBytes === undefined ? {} : { maxBytes }),
      load: (hash) => options.sessions.blobs.get(hash),
      onChange: (change) => options.onMemoryChange(point, change),
    }),
  disk: ({ root, hidden, isPrivate = false, buffers }, { spec: { searchable }, options }) => {
    const disk = new DiskMount({ root, hidden, isPrivate, searchable });
    const able = buffers && options.buffers?.(buffers);
    return able === undefined ? disk : new BufferedMount(disk, able);
  },
  session: ({ kind: _, ...shown }, { options }) =>
    createSessionMount({ place: options.sessions, ...shown }),
  root: ({ readme }) => new RootMount(readme),
  bin: (_, { options }) => createBinMount(options.commands),
  dev: () => new DeviceMount(),
  changes: (_, { changes }) => createChangesMount(changes),
  harness: (source, { options }) =>
    new HarnessMount({
      own: source.own,
      defaults: source.defaults,
      errors: async () => {
        // Loaded only when somebody looks.
        const [{ errorsText, inspectHarness }, { originsOfFiles }] = await Promise.all([
          import('../harness/load.ts'),
          import('../policy/host-marks.ts'),
        ]);
        const originsOf = (files: readonly string[]) => originsOfFiles(options.marks, files);
        return errorsText(inspectHarness({ ...source, originsOf }, new Set(source.hostTools)));
      },
      begin: async (whole) => {
        const by = options.author();
        const { noteTriggerEdit } = await import('../harness/trigger-authors.ts');
        return noteTriggerEdit(options.marks, source.own, by, whole);
      },
    }),
  schedule: ({ of }, { options }) => createScheduleMount(options.schedule, options.author, of),
  approvals: ({ kind, of }, { options: { approvals, sessions } }) =>
    createAskedMount({
      kind,
      open: approvals,
      textOf: approvalText,
      isShown: shownTo(of, sessions),
    }),
  questions: ({ kind, of, plans }, { options: { questions, sessions } }) => {
    const isTheirs = shownTo(of, sessions);
    return createAskedMount({
      kind,
      open: questions,
      textOf: questionText,
      isShown: (asked) => (asked.form.kind === 'plan') === plans && isTheirs(asked),
    });
  },
  service: openService,
};

/** Which of what people are asked is shown: that of sessions of one actor, or all of it. */
function shownTo(of: string | undefined, sessions: SessionPlace) {
  if (of === undefined) return () => true;
  const isOwn = ownedBy(sessions, of);
  return ({ session }: { session: string }): boolean => isOwn(session);
}

function makeMount<Kind extends SourceKind>(
  source: SourceSpec<Kind>,
  making: Making,
): Mount | Promise<Mount> {
  const make: Maker<Kind> = MAKERS[source.kind];
  return make(source, making);
}

/** Loads what a source is made of, only now that it is mounted: all services would double the start-up time. */
async function openService(
  source: SourceSpec<'service'>,
  { spec: { point, searchable }, options, changes, replica }: Making,
): Promise<Mount> {
  const { scheme, settings, module, stage, baseUrl, freshMs } = source;
  try {
    const { sources } = await loadSources(options.sources);
    const found = sources.find(({ name }) => name === scheme);
    const open = await found?.load?.(module?.file);
    if (open === undefined) throw new Error(`the source ${scheme} opens no mount`);
    const { token, credential } = await credentialOf(source, point, options);
    const mount = await open({
      point,
      replica: replica(),
      changes: changes(),
      onNotice: (text) => options.onNotice(options.conceal(text), point),
      background: true,
      options: settings,
      stage,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(token === undefined ? {} : { token }),
      ...(credential === undefined ? {} : { credential }),
      ...(freshMs === undefined ? {} : { freshMs }),
    });
    if (isServiceMount(mount) && searchable) options.search.follow(point, mount);
    return mount;
  } catch (error) {
    if (error instanceof ConfigError)
      throw new ConfigError(`mounts.${point}`, error.message, error);
    throw error;
  }
}

/** What the deployment's own source keeps for a mount; else what the host's environment holds. */
async function credentialOf(
  { variable, token, scheme, baseUrl }: SourceSpec<'service'>,
  point: string,
  { askCredential: ask }: AttachOptions,
): Promise<{ token: string | undefined; credential?: Renewable }> {
  if (ask === undefined || variable === undefined) return { token };
  const request: CredentialRequest = {
    for: 'mount',
    name: point,
    service: scheme,
    variable,
    baseUrl: baseUrl ?? null,
  };
  const held = await ask(request, false);
  if (held === null) return { token };
  const { Renewable } = await import('../credentials/credential.ts');
  const credential = new Renewable(held, (rejected) => ask(request, rejected));
  return { token: held.value, credential };
}

async function loadSources(url: string | undefined): Promise<SourceTable> {
  if (url === undefined) throw new Error('a world with services was planned without a table');
  const module: { sourceTable: SourceTable } = await import(url);
  return module.sourceTable;
}

/** Where a mount of the journal is attached; null where it is not. */
export function pointOf(table: MountTable, name: string): string | null {
  const found = table.attachments.findLast(({ mount }) => 'name' in mount && mount.name === name);
  return found?.point ?? null;
}

function isServiceMount(mount: Mount): mount is ServiceMount {
  return 'documents' in mount && 'feed' in mount;
}

function usageOf(table: MountTable): Usage {
  const usage: Usage = {};
  for (const { point, mount } of table.attachments) {
    const spent = mount.usage?.();
    if (spent !== undefined) usage[point] = spent;
  }
  return usage;
}
