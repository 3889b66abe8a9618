/**
 * A budget that another service keeps: it is asked before each request to a
 * model, and told what came of it. `options`: `{ url }`; the token of the service
 * is the variable QUOTA_TOKEN of the host, which `env: ['QUOTA_TOKEN']` hands on.
 */
import { z } from 'zod';
import type { BudgetPart, PartModule } from '../../entry/parts.ts';

const optionsSchema = z.strictObject({ url: z.url() });
const answerSchema = z.union([
  z.object({ reservation: z.string() }),
  z.object({ refused: z.string() }),
]);

const quota: PartModule<BudgetPart> = ({ options, env }) => {
  const { url } = optionsSchema.parse(options);
  const post = async (path: string, body: unknown, signal?: AbortSignal): Promise<Response> => {
    const answer = await fetch(`${url.replace(/\/$/, '')}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${env['QUOTA_TOKEN'] ?? ''}`,
      },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!answer.ok) throw new Error(`the quota answered ${answer.status}`);
    return answer;
  };
  return {
    reserve: async (request, { signal }) => {
      const answer = answerSchema.parse(await (await post('/reserve', request, signal)).json());
      if ('refused' in answer) return answer;
      const { reservation } = answer;
      return { settle: async (spent) => void (await post('/settle', { reservation, ...spent })) };
    },
  };
};

export default quota;
