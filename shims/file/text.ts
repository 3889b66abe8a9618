/** What file(1) says of a text: its encoding, its language, its lines. */

/** Bytes that no text has: all controls but these few. */
const NO_TEXT = /[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]/;
const LONG_LINE = 300;

/** An encoding in its words, and as MIME has it. */
interface Encoding {
  text: string;
  charset: string;
  /** The text itself. */
  decoded: string;
}

export interface TextKind {
  text: string;
  mime: string;
  charset: string;
}

/** The encoding of a text; undefined where the bytes are none. */
export function encodingOf(bytes: Buffer): Encoding | undefined {
  if (bytes.length >= 2 && bytes[0] === 0xff && bytes[1] === 0xfe) {
    const decoded = bytes.toString('utf16le', 2);
    return wide('little-endian', 'utf-16le', decoded);
  }
  if (bytes.length >= 2 && bytes[0] === 0xfe && bytes[1] === 0xff) {
    const even = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)));
    return wide('big-endian', 'utf-16be', even.swap16().toString('utf16le'));
  }
  const latin = bytes.toString('latin1');
  if (NO_TEXT.test(latin)) return;
  // The next line, NEL, is a letter of none of the sets of letters.
  if (/^[\0-\x7f\x85]*$/.test(latin)) {
    return { text: 'ASCII text', charset: 'us-ascii', decoded: latin };
  }
  if (isUtf8(bytes)) {
    const mark = latin.startsWith('\xef\xbb\xbf');
    return {
      text: `Unicode text, UTF-8 ${mark ? '(with BOM) ' : ''}text`,
      charset: 'utf-8',
      decoded: bytes.toString('utf8').replace(/^\ufeff/, ''),
    };
  }
  const odd = /[\x80-\x84\x86-\x9f]/.test(latin);
  return odd
    ? { text: 'Non-ISO extended-ASCII text', charset: 'unknown-8bit', decoded: latin }
    : { text: 'ISO-8859 text', charset: 'iso-8859-1', decoded: latin };
}

function wide(order: string, charset: string, decoded: string): Encoding | undefined {
  if (NO_TEXT.test(decoded)) return;
  return { text: `Unicode text, UTF-16, ${order} text`, charset, decoded };
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return false;
  }
}

/** What runs a script, with its folder or behind `env`; `%` stands for the encoding. */
const SCRIPTS: ReadonlyArray<readonly [interpreter: RegExp, text: string, mime: string]> = [
  [
    /^(?:\/bin\/|\/usr\/(?:local\/)?bin\/|env )bash$/,
    'Bourne-Again shell script, % executable',
    'text/x-shellscript',
  ],
  [/^\/bin\/sh$/, 'POSIX shell script, % executable', 'text/x-shellscript'],
  [/^\/bin\/ksh$/, 'Korn shell script, % executable', 'text/x-shellscript'],
  [/^\/bin\/csh$/, 'C shell script, % executable', 'text/x-shellscript'],
  [
    /^(?:\/bin|\/usr\/(?:local\/)?bin)\/tcsh$/,
    'Tenex C shell script, % executable',
    'text/x-shellscript',
  ],
  [
    /^(?:\/bin\/|\/usr\/(?:local\/)?bin\/|env )zsh$/,
    "Paul Falstad's zsh script, % executable",
    'text/x-shellscript',
  ],
  [
    /^(?:\/usr\/(?:local\/)?bin\/|env )fish$/,
    'fish shell script, % executable',
    'text/x-shellscript',
  ],
  [
    /^(?:\/usr\/(?:local\/)?bin\/|env )python[\d.]*$/,
    'Python script, % executable',
    'text/x-script.python',
  ],
  [/^(?:\/bin\/|\/usr\/(?:local\/)?bin\/|env )perl$/, 'Perl script text executable', 'text/x-perl'],
  [/^(?:\/usr\/(?:local\/)?bin\/|env )ruby$/, 'Ruby script, % executable', 'text/x-ruby'],
  [
    /^(?:\/bin\/|\/usr\/bin\/|env )node(?:js)?$/,
    'Node.js script executable, %',
    'application/javascript',
  ],
  [/^(?:\/usr)?\/bin\/awk$/, 'awk script, % executable', 'text/x-awk'],
  [/^(?:\/bin|\/usr\/(?:local\/)?bin)\/gawk$/, 'GNU awk script, % executable', 'text/x-gawk'],
  [/^(?:\/bin|\/usr\/(?:local\/)?bin)\/nawk$/, 'new awk script, % executable', 'text/x-nawk'],
  [/^\/usr\/(?:local\/)?bin\/php[\d.]*$/, 'PHP script, % executable', 'text/x-php'],
  [/^(?:\/usr\/(?:local\/)?bin\/|env )lua$/, 'Lua script, % executable', 'text/x-lua'],
];

/** What a text begins with, by what stands there. */
const LANGUAGES: ReadonlyArray<readonly [start: RegExp, text: string, mime: string]> = [
  [/^\s*<!doctype html/i, 'HTML document', 'text/html'],
  [/^\s*<html[\s>]/i, 'HTML document', 'text/html'],
  [/^<\?php/, 'PHP script', 'text/x-php'],
  [/^diff --git /, 'diff output', 'text/x-diff'],
  [/^--- .*\n\+\+\+ .*\n@@ /, 'unified diff output', 'text/x-diff'],
  [/^\*\*\* .*\n--- .*\n\*{15}/, 'context diff output', 'text/x-diff'],
  [/^(?:[\s\S]{0,4096}\n)?#include/, 'C source', 'text/x-c'],
];

/** Formats that happen to be text, of which no more is said. */
const FORMATS: ReadonlyArray<readonly [start: RegExp, text: string, mime: string]> = [
  [/^(?:<\?xml[^>]*>\s*)?<svg[\s>]/, 'SVG Scalable Vector Graphics image', 'image/svg+xml'],
  [/^-----BEGIN CERTIFICATE-----/, 'PEM certificate', 'text/plain'],
  [/^-----BEGIN CERTIFICATE REQ/, 'PEM certificate request', 'text/plain'],
  [/^-----BEGIN RSA PRIVATE KEY-----/, 'PEM RSA private key', 'text/plain'],
  [/^-----BEGIN OPENSSH PRIVATE KEY-----/, 'OpenSSH private key', 'text/plain'],
];

/** What the first line runs, and how file(1) calls that. */
function scriptOf(text: string): readonly [text: string, mime: string] | undefined {
  const [, line] = /^#![ \t]*(.*\S)/.exec(text) ?? [];
  if (line === undefined) return;
  const command = line.replace(/^\/usr\/bin\/env\s+/, 'env ');
  const [interpreter = ''] = /^(?:env )?\S*/.exec(command) ?? [];
  const known = SCRIPTS.find(([pattern]) => pattern.test(interpreter));
  if (known !== undefined) return [known[1], known[2]];
  return [`a ${command.replace(/^env /, '')} script, % executable`, 'text/plain'];
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}

/** Lines of a table that are looked at. */
const ROWS = 10;

function isTable(text: string): boolean {
  if (text.includes('\r')) return false;
  const rows = text.split('\n', ROWS + 1);
  if (rows.length <= ROWS && rows.pop() !== '') return false;
  const commas = rows
    .slice(0, ROWS)
    .map((row) => row.replace(/"[^"]*"/g, '').split(',').length - 1);
  return commas.length > 2 && (commas[0] ?? 0) > 0 && commas.every((count) => count === commas[0]);
}

/** How its lines end and how long they are, as file(1) adds it. */
function linesOf(text: string): string {
  const facts: string[] = [];
  let longest = 0;
  for (const line of text.split(/\r\n|\r|\n/)) longest = Math.max(longest, line.length);
  if (longest > LONG_LINE) facts.push(`very long lines (${longest})`);
  const ends = new Set(Array.from(text.matchAll(/\r\n|\r|\n|\x85/g), ([end]) => end));
  const names = [
    ['\r\n', 'CRLF'],
    ['\r', 'CR'],
    ['\n', 'LF'],
    ['\x85', 'NEL'],
  ].filter(([end = '']) => ends.has(end));
  if (ends.size === 0) facts.push('no line terminators');
  else if (ends.size > 1 || !ends.has('\n')) {
    facts.push(`${names.map(([, name]) => name).join(', ')} line terminators`);
  }
  if (text.includes('\x1b')) facts.push('escape sequences');
  if (text.includes('\b')) facts.push('overstriking');
  return facts.map((fact) => `, with ${fact}`).join('');
}

/** What a text is; undefined where the bytes are none. */
export function textKind(bytes: Buffer): TextKind | undefined {
  const encoding = encodingOf(bytes);
  if (encoding === undefined) return;
  const { text, charset, decoded } = encoding;
  const lines = linesOf(decoded);
  if (isJson(decoded)) return { text: 'JSON text data', mime: 'application/json', charset };
  const format = FORMATS.find(([start]) => start.test(decoded));
  if (format !== undefined) return { text: format[1], mime: format[2], charset };
  const script = scriptOf(decoded);
  if (script !== undefined) {
    const isTold = script[0].includes('%');
    const said = isTold ? script[0].replace('%', text) + lines : script[0];
    return { text: said, mime: script[1], charset };
  }
  const language = LANGUAGES.find(([start]) => start.test(decoded));
  if (language !== undefined) {
    return { text: `${language[1]}, ${text}${lines}`, mime: language[2], charset };
  }
  const [, version] = /^<\?xml version=["']([\d.]+)["']/.exec(decoded) ?? [];
  if (version !== undefined) {
    return { text: `XML ${version} document, ${text}${lines}`, mime: 'text/xml', charset };
  }
  if (isTable(decoded)) {
    return { text: `CSV text${lines}`, mime: 'text/csv', charset };
  }
  return { text: text + lines, mime: 'text/plain', charset };
}
