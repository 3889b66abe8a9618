/** Takes what looks like a secret out of a text that outlives its conversation. */

const SECRETS: readonly RegExp[] = [
  // Keys of services, by how they begin.
  /\b(?:gh[pousr]_|github_pat_|sk-|lin_(?:api|oauth)_|ntn_|secret_|xox[abprs]-|AKIA|glpat-)[A-Za-z0-9_-]{10,}/g,
  // JSON web tokens.
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
  // `password: x`, `API_KEY=x`, `Authorization: Bearer x`.
  /(?<=\b(?:password|passwd|secret|token|api[_-]?key)["']?\s*[:=]\s*["']?)[^\s"',;]{6,}/gi,
  /(?<=\bBearer\s+)[A-Za-z0-9._~+/=-]{8,}/g,
];

export const REDACTED = '[redacted]';

export const redacted = (text: string): string =>
  SECRETS.reduce((rest, secret) => rest.replace(secret, REDACTED), text);
