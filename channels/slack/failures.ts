/** What the failures of Slack's client mean. */
import { NotSent } from '../../src/serve/channels/index.ts';
import { failureOf } from '../chat-sdk/sending.ts';

/** As @slack/web-api says it. */
interface ClientError extends Error {
  code: string;
  retryAfter?: number;
  original?: unknown;
  data?: { error?: string };
}

/** After these something may have been done all the same. */
const DOUBTFUL: ReadonlySet<string | undefined> = new Set([
  'fatal_error',
  'internal_error',
  'request_timeout',
  'service_unavailable',
  undefined,
]);
const LIMITED = 'ratelimited';
const SECOND_MS = 1_000;

/** {@link NotSent} where that is certain, else the error itself. */
export function slackFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return failureOf(error);
  const { code, retryAfter = 30, original, data } = error as ClientError;
  switch (code) {
    case 'slack_webapi_rate_limited_error':
      return new NotSent('Slack takes no more just now', retryAfter * SECOND_MS, error);
    case 'slack_webapi_platform_error':
      if (data?.error === LIMITED)
        return new NotSent('Slack takes no more just now', retryAfter * SECOND_MS, error);
      return DOUBTFUL.has(data?.error) ? error : new NotSent(error.message, null, error);
    case 'slack_webapi_request_error': {
      const failure = failureOf(original);
      return failure instanceof NotSent ? failure : error;
    }
    default:
      return failureOf(error);
  }
}
