/** A world as a sandbox for the AI SDK's harnesses (`harness-sandbox-v1`). */
import type { Experimental_SandboxSession as SandboxSession } from 'ai';
import { FsError } from '../../errors.ts';
import { HOME } from './files.ts';
import {
  enterSandbox,
  type Maker,
  openSandboxDoorway,
  type SandboxConfig,
  type SandboxPlace,
} from './place.ts';
import { sandboxOf } from './session.ts';

interface CreateOptions {
  sessionId?: string;
  abortSignal?: AbortSignal;
  identity?: string;
  onFirstCreate?: (
    session: SandboxSession,
    options: { abortSignal?: AbortSignal },
  ) => Promise<void>;
}

/** What a harness is given, as `@ai-sdk/harness` calls it a network sandbox session. */
export interface HarnessSession extends SandboxSession {
  readonly id: string;
  readonly defaultWorkingDirectory: string;
  readonly ports: readonly number[];
  readonly getPortEndpoint: (options: { port: number }) => Promise<never>;
  readonly getPortUrl: (options: { port: number }) => Promise<never>;
  readonly stop: () => Promise<void>;
  readonly destroy: () => Promise<void>;
  readonly restricted: () => SandboxSession;
}

export interface HarnessProvider extends AsyncDisposable {
  readonly specificationVersion: 'harness-sandbox-v1';
  readonly providerId: string;
  createSession(options?: CreateOptions): Promise<HarnessSession>;
  resumeSession(options: { sessionId: string; abortSignal?: AbortSignal }): Promise<HarnessSession>;
  /** Ends all sessions, and their worlds. */
  close(): Promise<void>;
}

/** @throws FsError of each session as {@link enterSandbox} does */
export function harnessProvider<Config extends SandboxConfig>(
  place: SandboxPlace<Config>,
  maker: Maker<Config>,
): HarnessProvider {
  const doorway = openSandboxDoorway(place, maker);
  doorway.announce('in this process');
  /** The ids of the harness, and the sessions that are theirs here. */
  const sessions = new Map<string, string>();
  const enter = async (session: string, id?: string): Promise<HarnessSession> => {
    const visit = await enterSandbox(doorway, place, session);
    const sandbox = sandboxOf(visit);
    sessions.set(id ?? visit.session, visit.session);
    return {
      ...sandbox,
      id: id ?? visit.session,
      defaultWorkingDirectory: HOME,
      ports: [],
      getPortEndpoint: async ({ port }) => noPorts(port),
      getPortUrl: async ({ port }) => noPorts(port),
      stop: () => visit.close(),
      destroy: () => visit.close(),
      restricted: () => sandbox,
    };
  };
  const close = (): Promise<void> => doorway.close();
  return {
    specificationVersion: 'harness-sandbox-v1',
    providerId: 'dirigent',
    createSession: async ({ sessionId, onFirstCreate, abortSignal } = {}) => {
      abortSignal?.throwIfAborted();
      const session = await enter('new', sessionId);
      await onFirstCreate?.(session.restricted(), abortSignal === undefined ? {} : { abortSignal });
      return session;
    },
    resumeSession: async ({ sessionId, abortSignal }) => {
      abortSignal?.throwIfAborted();
      return enter(sessions.get(sessionId) ?? sessionId, sessionId);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function noPorts(port: number): never {
  throw new FsError('ENOTSUP', {
    path: `port ${port}`,
    op: 'listen',
    rule: 'a world has no ports',
    reason: `nothing listens in a world, so port ${port} leads nowhere: take a harness that runs its commands and files through the sandbox, and needs no bridge in it`,
  });
}
