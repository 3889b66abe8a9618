/**
 * A policy engine of the deployment's own, behind the policy of the house: it
 * is asked about what that allows, or would have a person asked about, and can
 * only refuse, or have a person asked. It fails closed: what throws, takes too
 * long or says nothing that is understood is a refusal.
 */
import { z } from 'zod';
import { inTime } from '../parts/in-time.ts';
import type { GateDecision } from './gate.ts';
import { DECISION_MS } from './hooks.ts';
import type { Facts } from './rules.ts';

/** One operation, as an engine is asked about it. It is told no contents. */
export interface PolicyQuestion extends Facts {
  /** Whoever else has to be allowed it: who asked for the turn, whose rights the actor has. */
  onBehalfOf: readonly string[];
  /** The services whose text has been read. */
  untrustedFrom: readonly string[];
  session: string;
  /** Is somebody there who could be asked? */
  attended: boolean;
}

/** What an engine says. */
export interface PolicyVerdict {
  /** `allow`: nothing more than the policy of the house allows; `ask`: a person decides. */
  decision: 'allow' | 'deny' | 'ask';
  /** Which of its rules decided, for the log and for whoever is asked. */
  rule?: string | undefined;
  /** What to do about it, in a sentence. */
  reason?: string | undefined;
  /**
   * The verdict holds for the very same question for so many ms, a minute at most; absent, it is
   * asked each time.
   */
  holdsMs?: number | undefined;
}

/** Decides on operations: the part `policy`. */
export interface PolicyEngine {
  /** It has 5 s; then the operation is refused. */
  decide(
    question: PolicyQuestion,
    options: { signal: AbortSignal },
  ): PolicyVerdict | Promise<PolicyVerdict>;
}

const verdictSchema = z.strictObject({
  decision: z.enum(['allow', 'deny', 'ask']),
  rule: z.string().optional(),
  reason: z.string().optional(),
  holdsMs: z.number().min(0).optional(),
});

const ENGINE = 'policy engine';
const LONGEST_MS = 60_000;
/** Verdicts that are remembered. */
const MOST = 10_000;

/** Asks an engine, and remembers what it says for as long as it says. */
export class EngineGate {
  readonly #engine: PolicyEngine;
  readonly #now: () => number;
  readonly #timeoutMs: number;
  readonly #held = new Map<string, { until: number; decision: GateDecision }>();

  constructor(engine: PolicyEngine, now: () => number = Date.now, timeoutMs = DECISION_MS) {
    this.#engine = engine;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  /** It does not throw: whatever goes wrong is a refusal. */
  async decide(question: PolicyQuestion): Promise<GateDecision> {
    const key = JSON.stringify(question);
    const held = this.#held.get(key);
    if (held !== undefined && held.until > this.#now()) return held.decision;
    try {
      const answer = await inTime(this.#timeoutMs, (signal) =>
        this.#engine.decide(question, { signal }),
      );
      const verdict = verdictSchema.parse(answer);
      const decision = decisionOf(verdict);
      this.#hold(key, decision, verdict.holdsMs ?? 0);
      return decision;
    } catch (error) {
      const why = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
      return {
        decision: 'deny',
        rule: ENGINE,
        reason: `the ${ENGINE} could not be asked, which refuses: ${why}`,
      };
    }
  }

  #hold(key: string, decision: GateDecision, forMs: number): void {
    this.#held.delete(key);
    if (forMs === 0) return;
    const [oldest] = this.#held.keys();
    if (this.#held.size >= MOST && oldest !== undefined) this.#held.delete(oldest);
    this.#held.set(key, { until: this.#now() + Math.min(forMs, LONGEST_MS), decision });
  }
}

function decisionOf({ decision, rule, reason }: PolicyVerdict): GateDecision {
  if (decision === 'allow') return { decision, rule: '', reason: '' };
  const named = rule === undefined ? ENGINE : `${ENGINE} ${rule}`;
  const does = decision === 'deny' ? 'denies this' : 'asks for approval';
  const said = reason === undefined ? '' : `: ${reason}`;
  return { decision, rule: named, reason: `${named} ${does}${said}` };
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
