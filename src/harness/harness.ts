/**
 * The harness of a deployment, as a turn sees it. What is edited is in force
 * when the next snapshot is taken, never before; a file that cannot be used
 * leaves the last good version of it in force, and is told.
 */
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { HarnessError } from './fault.ts';
import { type HostTool, loadHostTool } from './host-tool.ts';
import { type HarnessFiles, isFilePart } from './kinds.ts';
import { errorOf, errorsText, type HarnessPart, readPart } from './load.ts';
import { filesInForce, type OwnedPart, relationFaults } from './relations.ts';
import { type HarnessDirectories, type HarnessFile, scanHarness } from './source.ts';

/** One state of a harness; it never changes. */
export interface HarnessSnapshot extends HarnessFiles {
  /** Counts the states of this process, from 1. */
  version: number;
  /** The deployer's, which run in the host. */
  hostTools: ReadonlyMap<string, HostTool>;
  /** `/harness/AGENTS.md`. */
  agentsMd: string | null;
  /** The text of `policy.yaml`, and whether it is the package's own. */
  policy: { file: string; text: string; isDefault: boolean };
  errors: readonly HarnessError[];
}

/** What a harness is made with. */
export interface HarnessOptions extends HarnessDirectories {
  /** Modules of the deployer's tools, on the host. */
  hostTools?: readonly string[];
  /** Told, after an edit, of everything that is wrong; an empty list: all is well again. */
  onErrors?: (errors: readonly HarnessError[], text: string) => void;
}

/** A harness that is watched. */
export interface Harness {
  /**
   * The harness as it is now: to be asked at the beginning of a turn. It waits,
   * a second at most, until nobody is in the middle of writing.
   */
  current(): Promise<HarnessSnapshot>;
  close(): Promise<void>;
}

/** A file written less than so many ms ago may not be whole yet. */
const SETTLED_MS = 60;
/** Then it is looked at again, for so long at most. */
const PATIENCE_MS = 1_000;
const LOOK_AGAIN_MS = 20;
/** An editor's many events are one edit. */
const DEBOUNCE_MS = 60;

interface Good {
  stamp: string;
  part: HarnessPart | null;
  isOwn: boolean;
}

/** Opens a harness. Edits are told by `onErrors` from now on. */
export async function openHarness(options: HarnessOptions): Promise<Harness> {
  const state = new HarnessState(options);
  const watcher = await watch(options, () => state.report());
  return {
    current: () => state.take(),
    close: async () => {
      await watcher?.close();
    },
  };
}

/** Else an agent, or a slip, could loosen the policy by removing it. */
const POLICY_GONE = 'it is gone; the last version stays in force until the world is made again';

class HarnessState {
  readonly #options: HarnessOptions;
  readonly #hostTools: ReadonlySet<string>;
  readonly #good = new Map<string, Good>();
  readonly #goodTools = new Map<string, { stamp: string; tool: HostTool }>();
  #snapshot: HarnessSnapshot | null = null;
  #key = '';
  #told = '';
  #taking: Promise<unknown> = Promise.resolve();

  constructor(options: HarnessOptions) {
    this.#options = options;
    this.#hostTools = new Set(options.hostTools ?? []);
  }

  take(): Promise<HarnessSnapshot> {
    const taken = this.#taking.then(() => this.#take());
    this.#taking = taken.catch(() => undefined);
    return taken;
  }

  /** Tells what an edit broke, or mended. Nothing of it is in force yet. */
  async report(): Promise<void> {
    const files = await settled(this.#options);
    const errors: HarnessError[] = [];
    const parts = new Map([...this.#good].filter(([path]) => files.has(path)));
    for (const file of files.values()) {
      attempt(errors, file.path, () => {
        const { path, stamp } = file;
        parts.set(path, { stamp, part: this.#read(file), isOwn: this.#isOwn(file) });
      });
    }
    errors.push(...relationFaults(filesInForce(namedParts(parts.values()))));
    const tools = await this.#tools(errors);
    if (tools !== null) this.#tell(errors);
  }

  async #take(): Promise<HarnessSnapshot> {
    const files = await settled(this.#options);
    const errors: HarnessError[] = [];
    for (const path of [...this.#good.keys()]) if (!files.has(path)) this.#good.delete(path);
    for (const file of files.values()) {
      const { path, stamp } = file;
      if (path === 'policy.yaml' && !this.#isOwn(file) && this.#good.get(path)?.isOwn === true) {
        errors.push({ path, message: POLICY_GONE });
        continue;
      }
      if (this.#good.get(path)?.stamp === stamp) continue;
      attempt(errors, path, () => {
        this.#good.set(path, { stamp, part: this.#read(file), isOwn: this.#isOwn(file) });
      });
    }
    const inForce = filesInForce(namedParts(this.#good.values()));
    errors.push(...relationFaults(inForce));
    const hostTools = await this.#tools(errors);
    this.#tell(errors);
    const key = `${JSON.stringify([...this.#good].map(([path, { stamp }]) => [path, stamp]))}${[...this.#goodTools.values()].map(({ stamp }) => stamp).join()}${errorsText(errors)}`;
    if (this.#snapshot === null || key !== this.#key) {
      this.#key = key;
      this.#snapshot = this.#assemble(inForce, hostTools, errors);
    }
    return this.#snapshot;
  }

  #read(file: HarnessFile): HarnessPart | null {
    return readPart(file, this.#hostTools);
  }

  #isOwn({ file }: HarnessFile): boolean {
    const { own } = this.#options;
    return own !== null && file.startsWith(own);
  }

  async #tools(errors: HarnessError[]): Promise<Map<string, HostTool>> {
    const tools = new Map<string, HostTool>();
    for (const file of this.#hostTools) {
      try {
        const loaded = await loadHostTool(file, this.#goodTools.get(file));
        this.#goodTools.set(file, loaded);
      } catch (error) {
        errors.push(errorOf(`tools/${basename(file)}`, error));
      }
      const good = this.#goodTools.get(file);
      if (good !== undefined) tools.set(good.tool.name, good.tool);
    }
    return tools;
  }

  #tell(errors: readonly HarnessError[]): void {
    const text = errorsText(errors);
    if (text === this.#told) return;
    this.#told = text;
    this.#options.onErrors?.(errors, text);
  }

  #assemble(
    files: HarnessFiles,
    hostTools: Map<string, HostTool>,
    errors: readonly HarnessError[],
  ): HarnessSnapshot {
    const version = (this.#snapshot?.version ?? 0) + 1;
    let agentsMd: string | null = null;
    let policy = { file: 'policy.yaml', text: '', isDefault: false };
    for (const { part, isOwn } of this.#good.values()) {
      if (part === null) continue;
      if (part.kind === 'agents-md') agentsMd = part.value.text;
      if (part.kind === 'policy')
        policy = { file: 'policy.yaml', text: part.value.text, isDefault: !isOwn };
    }
    return { ...files, version, hostTools, agentsMd, policy, errors };
  }
}

/** The files that are known by their names. */
function namedParts(files: Iterable<Good>): OwnedPart[] {
  return [...files].flatMap(({ part, isOwn }) =>
    part === null || !isFilePart(part) ? [] : [{ part, isOwn }],
  );
}

function attempt(errors: HarnessError[], path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    errors.push(errorOf(path, error));
  }
}

/** The files, once nobody is in the middle of writing them, or after a second. */
async function settled(directories: HarnessDirectories): Promise<Map<string, HarnessFile>> {
  const end = Date.now() + PATIENCE_MS;
  for (let before = ''; ; ) {
    const files = scanHarness(directories);
    const now = JSON.stringify([...files.values()].map(({ path, stamp }) => [path, stamp]));
    const fresh = [...files.values()].some(({ mtimeMs }) => Date.now() - mtimeMs < SETTLED_MS);
    if ((!fresh && (before === '' || before === now)) || Date.now() > end) return files;
    before = now;
    await delay(LOOK_AGAIN_MS);
  }
}

/** Watches the deployment's directory; the package's does not change. */
async function watch({ own, onErrors }: HarnessOptions, onEdit: () => Promise<void>) {
  if (own === null || onErrors === undefined) return null;
  const { watch: start } = await import('chokidar');
  const watcher = start(own, { ignoreInitial: true, followSymlinks: false });
  let timer: NodeJS.Timeout | undefined;
  const edited = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      onEdit().catch((error: unknown) => onErrors([], String(error)));
    }, DEBOUNCE_MS);
    timer.unref();
  };
  watcher.on('all', edited);
  watcher.on('error', (error) => onErrors([], `the harness cannot be watched: ${String(error)}\n`));
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return {
    close: async (): Promise<void> => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
