/** Notion's refusals and outages, as the sentences that an agent can act on. */
import { z } from 'zod';
import { ServiceFailure, tryAgain } from '../../src/mount/index.ts';

const bodySchema = z.looseObject({ code: z.string().optional(), message: z.string().optional() });

/** Waited after a limit that names no time, in s. */
const DEFAULT_WAIT_S = 30;

/** When a limit ends: 429, and 529 for an overload. null when the answer is neither. */
export function limitEnd(status: number, retryAfter: string | null, now: Date): Date | null {
  if (status !== 429 && status !== 529) return null;
  const seconds = Number(retryAfter ?? Number.NaN);
  const wait = Number.isFinite(seconds) && seconds >= 0 ? seconds : DEFAULT_WAIT_S;
  return new Date(now.getTime() + wait * 1000);
}

/** An answer of 400 and above. */
export function failureOfAnswer(
  status: number,
  text: string,
  { until, now, cause }: { until: Date | null; now: Date; cause: unknown },
): ServiceFailure {
  const options = { status, cause };
  if (until !== null) {
    const what = status === 529 ? 'it is overloaded' : 'its limit of requests is used up';
    return new ServiceFailure(
      'limited',
      `Notion answered ${status}, ${what}: ${tryAgain(until, now)}`,
      {
        ...options,
        retryAt: until,
      },
    );
  }
  const said = messageOf(text);
  switch (status) {
    case 401:
      return new ServiceFailure(
        'auth',
        'Notion answered 401, the token was refused: check NOTION_TOKEN',
        options,
      );
    case 403:
      return new ServiceFailure(
        'forbidden',
        `Notion answered 403: ${said}; the integration may lack a capability for this`,
        options,
      );
    case 404:
      return new ServiceFailure(
        'missing',
        'Notion answered 404: there is no such thing, or it is not shared with the integration',
        options,
      );
    case 409:
      return new ServiceFailure(
        'limited',
        `Notion answered 409, somebody else is saving there: ${said}; try again`,
        options,
      );
    default:
      return status >= 500
        ? new ServiceFailure('server', `Notion answered ${status}; try again later`, options)
        : new ServiceFailure('invalid', `Notion answered ${status}: ${said}`, options);
  }
}

/** What the service said, on one line. */
function messageOf(text: string): string {
  try {
    const { message } = bodySchema.parse(JSON.parse(text));
    if (message !== undefined) return message.replace(/\s+/g, ' ');
  } catch (error) {
    // An answer that is no JSON comes from something in between: its own words are the best there is.
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
  }
  return text.slice(0, 200).replace(/\s+/g, ' ');
}

/** Of the place where Notion keeps its files, which is another service and knows no token. */
export function failureOfFile(status: number): ServiceFailure {
  const kind =
    status === 404 || status === 410 ? 'missing' : status >= 500 ? 'server' : 'forbidden';
  const message = `the place where Notion keeps its files answered ${status}: read it again`;
  return new ServiceFailure(kind, message, { status });
}
