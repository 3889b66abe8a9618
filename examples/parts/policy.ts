/**
 * Decisions of an Open Policy Agent, by its Data API: `POST /v1/data/PATH` with
 * `{ input }` gives `{ result }`, and no `result` where the document is not
 * defined, which refuses. `options`: `{ url: 'http://127.0.0.1:8181', path:
 * 'dirigent/decision' }`; the token, if it wants one, is the variable OPA_TOKEN.
 *
 *     package dirigent
 *     default decision := "deny"
 *     decision := "allow" if input.op == "read"
 *     decision := {"decision": "ask", "reason": "others see it"} if input.service
 */
import { z } from 'zod';
import type { PartModule, PolicyEngine } from '../../entry/parts.ts';

const optionsSchema = z.strictObject({ url: z.url(), path: z.string().regex(/^[\w/.-]+$/) });
const decision = z.enum(['allow', 'deny', 'ask']);
const answerSchema = z.object({
  result: z
    .union([
      z.boolean().transform((allowed) => ({ decision: allowed ? 'allow' : 'deny' }) as const),
      decision.transform((each) => ({ decision: each })),
      z.object({
        decision,
        rule: z.string().optional(),
        reason: z.string().optional(),
        holdsMs: z.number().optional(),
      }),
    ])
    .optional(),
});

const opa: PartModule<PolicyEngine> = ({ options, env }) => {
  const { url, path } = optionsSchema.parse(options);
  const token = env['OPA_TOKEN'];
  return {
    decide: async (input, { signal }) => {
      const answer = await fetch(new URL(`/v1/data/${path}`, url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ input }),
        // A decision is nobody else's to give.
        redirect: 'error',
        signal,
      });
      if (!answer.ok) throw new Error(`OPA answered ${answer.status}`);
      const { result } = answerSchema.parse(await answer.json());
      return result ?? { decision: 'deny', reason: `OPA has no document ${path}` };
    },
  };
};

export default opa;
