/**
 * Requests for approval at another service, such as a pager: each is put at
 * `URL/requests/ID`, and what is there is looked at until somebody has answered:
 * `{ decision: 'allow' | 'deny', actor, digest }`. The digest is that of the
 * request as it was shown. `options`: `{ url, pollMs }`; the token of the service
 * is the variable PAGER_TOKEN of the host.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { ApprovalSurface, PartModule } from '../../entry/parts.ts';

const optionsSchema = z.strictObject({ url: z.url(), pollMs: z.int().min(1).default(5_000) });
const answerSchema = z.object({
  decision: z.enum(['allow', 'deny']),
  actor: z.string(),
  digest: z.string(),
});

const pager: PartModule<ApprovalSurface> = ({ options, env }) => {
  const { url, pollMs } = optionsSchema.parse(options);
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${env['PAGER_TOKEN'] ?? ''}`,
  };
  return {
    ask: async (request, { signal, answer }) => {
      const place = `${url.replace(/\/$/, '')}/requests/${request.id}`;
      const put = await fetch(place, {
        method: 'PUT',
        headers,
        body: JSON.stringify(request),
        signal,
      });
      if (!put.ok) throw new Error(`the pager answered ${put.status}`);
      while (!signal.aborted) {
        const looked = await fetch(place, { headers, signal });
        const answered = looked.ok ? answerSchema.safeParse(await looked.json()) : null;
        if (answered?.success) {
          await answer(answered.data);
          return;
        }
        await delay(pollMs, undefined, { signal });
      }
    },
  };
};

export default pager;
