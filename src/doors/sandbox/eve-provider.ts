/** A world as a sandbox provider of `eve`: what its `defineSandboxProvider` takes. */

import { resolvePath } from '../../paths.ts';
import type { Doorway } from '../door.ts';
import { fromHome, HOME, inWords, writeFromHome } from './files.ts';
import { ParkedVisits, type SandboxVisit } from './parking.ts';
import {
  enterSandbox,
  type Maker,
  openSandboxDoorway,
  type SandboxConfig,
  type SandboxPlace,
} from './place.ts';
import { sandboxOf, type VisitSandbox } from './session.ts';

/** A file that the author of an agent put beside it. */
interface SeedFile {
  readonly content: string | Uint8Array;
  readonly relativePath: string;
}
interface SeedTree {
  readonly files: readonly SeedFile[];
  readonly targetPath: string;
}
interface PrepareContext {
  readonly resources: { readonly skills?: SeedTree; readonly workspace?: SeedTree };
}

/** Texts of the files, by their paths: it must be JSON. */
type Prepared = { readonly seeds: { readonly [path: string]: string } };
/** The session that is gone on with. */
type State = { readonly session: string };

/** The files and commands of a session, as `SandboxSession` of `eve/sandbox` describes them. */
export interface EveSession
  extends Pick<
    VisitSandbox,
    | 'run'
    | 'spawn'
    | 'readFile'
    | 'readBinaryFile'
    | 'readTextFile'
    | 'writeFile'
    | 'writeBinaryFile'
    | 'writeTextFile'
  > {
  resolvePath(path: string): string;
  removePath(options: {
    readonly path: string;
    readonly recursive?: boolean;
    readonly force?: boolean;
  }): Promise<void>;
}

interface Handle {
  readonly sandbox: EveSession;
  onRuntimeShutdown(): Promise<void>;
  onSandboxDelete(): Promise<void>;
  onSandboxStop(): Promise<void>;
}

/** For `defineSandboxProvider` of `eve/sandbox/provider`. */
export interface EveProvider {
  readonly name: 'dirigent';
  environment(): {
    prepare(context: PrepareContext): Promise<Prepared>;
    start(
      context: unknown,
      options: undefined,
      artifact: Prepared,
    ): Promise<{ handle: Handle; state: State }>;
    resume(context: unknown, artifact: Prepared, state: State): Promise<Handle>;
  };
}

export function eveProvider<Config extends SandboxConfig>(
  place: SandboxPlace<Config>,
  maker: Maker<Config>,
): EveProvider {
  // One for all sessions, made when the first begins: eve goes on with one while it is still open.
  let doorway: Doorway | undefined;
  const visits = new ParkedVisits((session) => {
    doorway ??= openSandboxDoorway(place, maker);
    return enterSandbox(doorway, place, session);
  });
  return {
    name: 'dirigent',
    environment: () => ({
      prepare: async ({ resources }) => ({ seeds: seedsOf(resources) }),
      start: async (_, __, { seeds }) => {
        const visit = await visits.open('new');
        for (const [path, text] of Object.entries(seeds)) {
          await writeFromHome(visit, path, Buffer.from(text, 'base64'));
        }
        return { handle: handleOf(visit), state: { session: visit.session } };
      },
      resume: async (_, __, { session }) => handleOf(await visits.open(session)),
    }),
  };
}

function seedsOf({ skills, workspace }: PrepareContext['resources']): Record<string, string> {
  const files = [skills, workspace].flatMap((tree) =>
    (tree?.files ?? []).map(({ relativePath, content }) => [
      resolvePath(tree?.targetPath ?? HOME, relativePath),
      Buffer.from(content as Uint8Array).toString('base64'),
    ]),
  );
  return Object.fromEntries(files);
}

function handleOf(visit: SandboxVisit): Handle {
  const close = (): Promise<void> => visit.close();
  const { description: _, ...sandbox } = sandboxOf(visit);
  return {
    sandbox: {
      ...sandbox,
      resolvePath: fromHome,
      removePath: ({ path, recursive = false, force = false }) =>
        inWords(() => visit.fs.rm(fromHome(path), { recursive, force })),
    },
    onRuntimeShutdown: close,
    onSandboxStop: close,
    // The session stays: its log is the record of what was done in it.
    onSandboxDelete: close,
  };
}
