/**
 * Takes what looks like a secret out of a text that outlives its conversation.
 * In time proportional to the text, whatever it holds: each step looks at a
 * stretch once, and none looks back.
 */

export const REDACTED = '[redacted]';

/** Keys of services, by how they begin. */
const KEYS =
  /\b(?:gh[pousr]_|github_pat_|sk-|lin_(?:api|oauth)_|ntn_|secret_|xox[abprs]-|AKIA|glpat-)[A-Za-z0-9_-]{10,}/g;
/** `Authorization: Bearer x`. */
const BEARERS = /(\bBearer\s+)[A-Za-z0-9._~+/=-]{8,}/g;
/** `password: x`, `API_KEY=x`. */
const FIELDS =
  /(\b(?:password|passwd|secret|token|api[_-]?key)["']?\s*[:=]\s*["']?)[^\s"',;]{6,}/gi;

export const redacted = (text: string): string =>
  withoutPrivateKeys(withoutWebTokens(text.replace(KEYS, REDACTED)))
    .replace(BEARERS, `$1${REDACTED}`)
    .replace(FIELDS, `$1${REDACTED}`);

/** Words, and words joined by dots, as JSON web tokens are. */
const WORDS = /[A-Za-z0-9_.-]+/g;
const TOKEN_PART = 8;

/** `eyJ….….…`: a header and a body of some length, and a signature, which may be empty. */
function withoutWebTokens(text: string): string {
  return text.replace(WORDS, (run) => {
    const parts = run.split('.');
    if (parts.length < 3) return run;
    const shown: string[] = [];
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at] ?? '';
      // A later beginning in the same part leaves less of it: the first one decides.
      const begin = /(?:^|-)eyJ/.exec(part);
      const from = begin === null ? 0 : begin.index + begin[0].length;
      const isToken =
        begin !== null &&
        part.length - from >= TOKEN_PART &&
        (parts[at + 1]?.length ?? 0) >= TOKEN_PART &&
        parts[at + 2] !== undefined;
      if (isToken) {
        shown.push(`${part.slice(0, from - 'eyJ'.length)}${REDACTED}`);
        at += 2;
      } else shown.push(part);
    }
    return shown.join('.');
  });
}

const KEY_BEGINS = /-----BEGIN [A-Z ]*PRIVATE KEY-----/g;
const KEY_ENDS = /-----END [A-Z ]*PRIVATE KEY-----/g;

function withoutPrivateKeys(text: string): string {
  // Each search goes on where the last one ended.
  const begins = new RegExp(KEY_BEGINS);
  const ends = new RegExp(KEY_ENDS);
  let shown = '';
  let done = 0;
  for (let begin = begins.exec(text); begin !== null; begin = begins.exec(text)) {
    ends.lastIndex = begins.lastIndex;
    if (ends.exec(text) === null) break;
    shown += `${text.slice(done, begin.index)}${REDACTED}`;
    done = ends.lastIndex;
    begins.lastIndex = done;
  }
  return shown + text.slice(done);
}
