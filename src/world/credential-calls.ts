/** What mounts ask of the source of credentials, which runs in the host: between the worker and its supervisor. */
import {
  askCredential,
  type CredentialRequest,
  type CredentialSource,
  type HeldCredential,
} from '../credentials/credential.ts';
import type { PartSpec } from '../parts/config.ts';
import { loadPart } from '../parts/load.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { revive, wire } from './wire-errors.ts';

/** Asks for a credential; null for one that is not kept. */
export type AskCredential = (
  request: CredentialRequest,
  rejected: boolean,
) => Promise<HeldCredential | null>;

/** The worker's side. */
export class CredentialCalls {
  readonly #send: (message: FromWorker) => void;
  readonly #asked = new Map<number, PromiseWithResolvers<HeldCredential | null>>();
  #last = 0;

  constructor(send: (message: FromWorker) => void) {
    this.#send = send;
  }

  ask(request: CredentialRequest, rejected: boolean): Promise<HeldCredential | null> {
    const ask = ++this.#last;
    const asked = Promise.withResolvers<HeldCredential | null>();
    this.#asked.set(ask, asked);
    this.#send({ type: 'credential', ask, request, rejected });
    return asked.promise;
  }

  receive(message: Extract<ToWorker, { type: 'credential-answer' | 'credential-failed' }>): void {
    const asked = this.#asked.get(message.ask);
    this.#asked.delete(message.ask);
    if (message.type === 'credential-answer') asked?.resolve(message.credential);
    else asked?.reject(revive(message.error));
  }
}

/** The deployment's own source, loaded when the first credential is needed; undefined without. */
export function credentialsOf(
  spec: PartSpec | undefined,
): (() => Promise<CredentialSource>) | undefined {
  if (spec === undefined) return undefined;
  let loading: Promise<CredentialSource> | undefined;
  return () => {
    loading ??= loadPart<CredentialSource>(spec);
    return loading;
  };
}

/** The supervisor's side. */
export async function answerCredential(
  source: (() => Promise<CredentialSource>) | undefined,
  { ask, request, rejected }: Extract<FromWorker, { type: 'credential' }>,
  post: (answer: ToWorker) => void,
): Promise<void> {
  try {
    const credential =
      source === undefined ? null : await askCredential(await source(), request, rejected);
    post({ type: 'credential-answer', ask, credential });
  } catch (error) {
    post({ type: 'credential-failed', ask, error: wire(error) });
  }
}
