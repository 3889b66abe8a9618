/** What Slack refuses, with a status that says that all is well. */
import { z } from 'zod';
import type { FailureKind, Refusal } from '../../src/mount/index.ts';

const answerSchema = z.looseObject({
  ok: z.boolean(),
  error: z.string().default('unknown_error'),
  needed: z.string().optional(),
});

const KINDS: Readonly<Record<string, FailureKind>> = {
  not_authed: 'auth',
  invalid_auth: 'auth',
  account_inactive: 'auth',
  token_revoked: 'auth',
  token_expired: 'auth',
  missing_scope: 'forbidden',
  not_in_channel: 'forbidden',
  restricted_action: 'forbidden',
  cant_update_message: 'forbidden',
  cant_delete_message: 'forbidden',
  channel_not_found: 'missing',
  message_not_found: 'missing',
  thread_not_found: 'missing',
  internal_error: 'server',
  fatal_error: 'server',
  request_timeout: 'server',
  service_unavailable: 'server',
};

/** Nothing was to be done: it is as it was wanted. */
const DONE: ReadonlySet<string> = new Set(['already_reacted', 'no_reaction']);

/** The refusal in an answer; null where it did what was asked. */
export function refusalOf(data: unknown, path: string): Refusal | null {
  const { ok, error, needed } = answerSchema.parse(data);
  if (ok || DONE.has(error)) return null;
  const scope = needed === undefined ? '' : `: the token needs the scope ${needed}`;
  const message = `Slack refused ${path.split('?')[0]}: ${error}${scope}`;
  return { kind: KINDS[error] ?? 'invalid', message };
}
