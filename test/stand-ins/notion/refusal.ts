/** The service's errors. https://developers.notion.com/reference/status-codes */

const STATUS = {
  invalid_json: 400,
  invalid_request_url: 400,
  invalid_request: 400,
  validation_error: 400,
  missing_version: 400,
  unauthorized: 401,
  restricted_resource: 403,
  object_not_found: 404,
  conflict_error: 409,
  rate_limited: 429,
  internal_server_error: 500,
  service_unavailable: 503,
  gateway_timeout: 504,
  service_overload: 529,
} as const;
export type Code = keyof typeof STATUS;

export class Refusal extends Error {
  readonly code: Code;
  /** Seconds, for `Retry-After`. */
  readonly retryAfter: number | null;

  constructor(code: Code, message: string, retryAfter: number | null = null) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }

  get status(): number {
    return STATUS[this.code];
  }

  body(): unknown {
    return { object: 'error', status: this.status, code: this.code, message: this.message };
  }
}

export function notFound(kind: string, id: string): Refusal {
  return new Refusal(
    'object_not_found',
    `Could not find ${kind} with ID: ${id}. Make sure the relevant pages and databases are shared with your integration.`,
  );
}
