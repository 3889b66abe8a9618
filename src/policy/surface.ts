/**
 * Where requests for approval are shown, and answered, beside the house's own
 * ways: a pager, a form, another program. It is told what a person would be
 * shown, and an answer of it counts as that of the person whom it names.
 */
import { z } from 'zod';
import { FsError, sentenceOf } from '../errors.ts';
import { escapeText } from '../visible.ts';
import {
  type Answer,
  APPROVAL_SCOPES,
  type Approval,
  type ApprovalScope,
  actorText,
  approvalBody,
  describeOperation,
} from './approval.ts';
import type { AskedOperation, Origin } from './gate.ts';

/** A request as a person is shown it. */
export interface ShownRequest {
  id: string;
  /** Tells what was shown from anything else: an answer is bound to it. */
  digest: string;
  session: string;
  /** Who wants to do it, and through what. */
  actor: string;
  /** For whom; empty for the person in charge. */
  people: readonly string[];
  origin: Origin;
  operations: readonly AskedOperation[];
  /** Which rule asks, and why. */
  rule: string;
  reason: string;
  /** One line on what is asked for. */
  title: string;
  /** What would be done: a patch, in most cases. What an agent wrote is in it: escaped, and no more than data. */
  text: string;
  /** ISO 8601; unanswered it is refused from then on. */
  expiresAt: string;
}

/** An answer of somebody who may give one. */
export interface SurfaceAnswer {
  /** Of what was shown. */
  digest: string;
  decision: 'allow' | 'deny';
  /** Who answers: `user`, the person in charge, or a principal of the server who may decide. */
  actor: string;
  /** `once`, if absent. */
  scope?: ApprovalScope | undefined;
}

/** What a surface is handed with a request. */
export interface SurfaceOptions {
  /** Aborted once the request is answered, by whatever way, or is too old. */
  signal: AbortSignal;
  /**
   * Answers it.
   * @returns what became of it: `allowed` or `denied`, by this answer or by an earlier one
   * @throws FsError EACCES for an actor who may not; ESTALE for another digest; EINVAL
   */
  answer(answer: SurfaceAnswer): Promise<Approval['state']>;
}

/** Shows requests for approval, and has them answered: the part `approvals`. */
export interface ApprovalSurface {
  /** Called with each request, and again after a restart. It may answer at once, later, or never. */
  ask(request: ShownRequest, options: SurfaceOptions): void | Promise<void>;
}

/** What it is made with. */
export interface SurfaceParts {
  surface(): Promise<ApprovalSurface>;
  /** Answers a pending request; null where there is none with that id. */
  answer(id: string, answer: Answer): Promise<Approval | null>;
  /** May somebody of that name decide? */
  mayDecide(actor: string): boolean | Promise<boolean>;
  /** What stands behind the name of whoever has answered. */
  via: string;
  onFault(text: string): void;
}

const answerSchema = z.strictObject({
  digest: z.string(),
  decision: z.enum(['allow', 'deny']),
  actor: z.string().min(1),
  scope: z.enum(APPROVAL_SCOPES).optional(),
});

/** The requests of a world, on their way to a surface. */
export class Surfacing {
  readonly #parts: SurfaceParts;
  readonly #waiting = new Map<string, AbortController>();

  constructor(parts: SurfaceParts) {
    this.#parts = parts;
  }

  /** A request has made a step. */
  step(approval: Approval): void {
    if (approval.state === 'pending') void this.#ask(approval);
    else {
      this.#waiting.get(approval.id)?.abort();
      this.#waiting.delete(approval.id);
    }
  }

  async #ask(approval: Approval): Promise<void> {
    const { surface, onFault } = this.#parts;
    if (this.#waiting.has(approval.id)) return;
    const answered = new AbortController();
    this.#waiting.set(approval.id, answered);
    const left = Math.max(0, approval.expiresAt - Date.now());
    // A timer of more than 24.8 days would go off at once.
    const signal = AbortSignal.any([
      answered.signal,
      AbortSignal.timeout(Math.min(left, 2 ** 31 - 1)),
    ]);
    try {
      const made = await surface();
      await made.ask(shownRequest(approval), {
        signal,
        answer: (answer) => this.#answer(approval, answer),
      });
    } catch (error) {
      const why = sentenceOf(error);
      onFault(`approval ${approval.id}, at the surface of parts.approvals: ${why}`);
    }
  }

  async #answer({ id, digest }: Approval, given: SurfaceAnswer): Promise<Approval['state']> {
    const { mayDecide, via } = this.#parts;
    const checked = answerSchema.safeParse(given);
    if (!checked.success)
      throw refusal('EINVAL', id, 'the form of an answer', z.prettifyError(checked.error));
    const { actor, decision, scope, digest: seen } = checked.data;
    if (!(await mayDecide(actor)))
      throw refusal('EACCES', id, 'who may decide', `${actor} may not decide on approvals here`);
    if (seen !== digest)
      throw refusal(
        'ESTALE',
        id,
        'an answer is bound to what was shown',
        `what was shown is not what approval ${id} asks for; look at it, and answer again`,
      );
    const answer = { decision, by: `${actor} (${via})`, ...(scope === undefined ? {} : { scope }) };
    const answered = await this.#parts.answer(id, answer);
    if (answered === null) throw refusal('ENOENT', id, 'approvals', `there is no approval ${id}`);
    this.step(answered);
    return answered.state;
  }
}

const refusal = (
  code: 'EINVAL' | 'EACCES' | 'ESTALE' | 'ENOENT',
  id: string,
  rule: string,
  reason: string,
): FsError => new FsError(code, { path: `/session/approvals/${id}.md`, op: 'write', rule, reason });

function shownRequest(approval: Approval): ShownRequest {
  const { id, digest, session, actor, people, origin, operations, rule, reason, expiresAt } =
    approval;
  return {
    id,
    digest,
    session,
    actor,
    people,
    origin,
    operations,
    rule,
    reason: escapeText(reason),
    title: `${escapeText(actorText(approval))} wants to ${describeOperation(approval)}`,
    text: escapeText(approvalBody(approval)),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}
