/**
 * Credentials from a manager of secrets over HTTP: Vault's store of keys and
 * values, version 2. The secret at `path` has a field for each variable; what was
 * read holds for `holdsSeconds`. `options`: `{ url, path: 'secret/data/dirigent',
 * holdsSeconds: 300 }`; the token is the variable VAULT_TOKEN of the host.
 */
import { z } from 'zod';
import type { CredentialSource, PartModule } from '../../entry/parts.ts';

const optionsSchema = z.strictObject({
  url: z.url(),
  path: z.string(),
  holdsSeconds: z.number().positive().default(300),
});
const answerSchema = z.object({ data: z.object({ data: z.record(z.string(), z.string()) }) });

const vault: PartModule<CredentialSource> = ({ options, env }) => {
  const { url, path, holdsSeconds } = optionsSchema.parse(options);
  return {
    credential: async ({ variable }, { signal }) => {
      const answer = await fetch(`${url.replace(/\/$/, '')}/v1/${path}`, {
        headers: { 'x-vault-token': env['VAULT_TOKEN'] ?? '' },
        redirect: 'error',
        signal,
      });
      if (!answer.ok) throw new Error(`the manager of secrets answered ${answer.status}`);
      const { data } = answerSchema.parse(await answer.json()).data;
      const value = data[variable];
      if (value === undefined) return null;
      return { value, expiresAt: Date.now() + holdsSeconds * 1000 };
    },
  };
};

export default vault;
