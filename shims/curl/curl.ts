/** curl. */
import {
  isPrivateHeader,
  type MountedAt,
  type Network,
  type NetworkAnswer,
  NetworkError,
} from '../../src/shell/command.ts';
import { baseOf } from '../basename/index.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { strerror, type Tool, toBuffer } from '../support/tool.ts';
import { adviceFor } from './advice.ts';
import { bodyOf, dataOf } from './body.ts';
import {
  decoded,
  headerOf,
  headText,
  NotDecoded,
  TooManyRedirects,
  type Transfer,
  type Transferred,
  transfer,
} from './transfer.ts';

const LONG = {
  compressed: 'compressed',
  'connect-timeout': 'connect-timeout:',
  cookie: 'b:',
  'create-dirs': 'create-dirs',
  data: 'd:',
  'data-ascii': 'd:',
  'data-binary': 'data-binary:',
  'data-raw': 'data-raw:',
  'data-urlencode': 'data-urlencode:',
  'dump-header': 'D:',
  fail: 'f',
  'fail-with-body': 'fail-with-body',
  form: 'F:',
  'form-string': 'form-string:',
  get: 'G',
  globoff: 'g',
  head: 'I',
  header: 'H:',
  'http1.1': 'ignored',
  http2: 'ignored',
  include: 'i',
  insecure: 'k',
  ipv4: 'ignored',
  ipv6: 'ignored',
  json: 'json:',
  location: 'L',
  'location-trusted': 'L',
  'max-redirs': 'max-redirs:',
  'max-time': 'm:',
  'no-buffer': 'ignored',
  'no-progress-meter': 'ignored',
  oauth2: 'oauth2:',
  'oauth2-bearer': 'oauth2:',
  output: 'o:',
  'output-dir': 'output-dir:',
  post301: 'keep',
  post302: 'keep',
  post303: 'keep',
  'progress-bar': 'ignored',
  referer: 'e:',
  'remote-header-name': 'J',
  'remote-name': 'O',
  request: 'X:',
  retry: 'retry:',
  'retry-all-errors': 'ignored',
  'retry-connrefused': 'ignored',
  'retry-delay': 'retry-delay:',
  'show-error': 'S',
  silent: 's',
  'tlsv1.2': 'ignored',
  'upload-file': 'T:',
  url: 'url:',
  user: 'u:',
  'user-agent': 'A:',
  verbose: 'v',
  version: 'V',
  'write-out': 'w:',
} as const;

const SHORT = '#A:b:d:D:e:fF:gGH:iIJkLm:N46o:OqRsST:u:vVw:X:01';

/** What curl says, and its status, by what went wrong. */
function told(error: NetworkError, url: URL): [text: string, status: number] {
  const host = url.hostname;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  switch (error.kind) {
    case 'refused':
    case 'connect':
      return [
        `(7) Failed to connect to ${host} port ${port}: ${error.kind === 'refused' ? 'Permission denied' : 'Connection refused'}`,
        7,
      ];
    case 'name':
      return [`(6) Could not resolve host: ${host}`, 6];
    case 'timeout':
      return [`(28) Operation timed out: ${error.message}`, 28];
    case 'tls':
      return [`(60) SSL certificate problem: ${error.message}`, 60];
    case 'other':
      return [`(56) ${error.message}`, 56];
  }
}

function headersOf(
  options: Options,
  sentType: string | undefined,
): Array<readonly [string, string]> {
  const unread = [...options.all('H').filter((line) => /^@/.test(line))];
  const jar = options.get('b');
  if (jar !== undefined && jar !== '' && !jar.includes('=')) unread.push(jar);
  if (unread.length > 0)
    throw new UsageError(`headers and cookies are not read from a file here: ${unread[0]}`, {
      status: 2,
      hint: false,
    });
  const given = options.all('H').filter((line) => line.includes(':') || line.endsWith(';'));
  const named = new Set(
    given.map((line) =>
      line
        .replace(/[:;].*$/s, '')
        .trim()
        .toLowerCase(),
    ),
  );
  const out: Array<readonly [string, string]> = [];
  const user = options.get('u');
  const own: Array<readonly [string, string | undefined]> = [
    ['User-Agent', options.get('A') ?? 'curl/8.0'],
    ['Accept', options.has('json') ? 'application/json' : '*/*'],
    [
      'Authorization',
      user === undefined
        ? undefined
        : `Basic ${Buffer.from(user.includes(':') ? user : `${user}:`).toString('base64')}`,
    ],
    [
      'Authorization',
      options.get('oauth2') === undefined ? undefined : `Bearer ${options.get('oauth2')}`,
    ],
    ['Cookie', options.get('b')],
    ['Referer', options.get('e')],
    ['Accept-Encoding', options.has('compressed') ? 'gzip, deflate, br' : undefined],
    ['Content-Type', sentType],
  ];
  for (const [name, value] of own) {
    if (value !== undefined && value !== '' && !named.has(name.toLowerCase()))
      out.push([name, value]);
  }
  for (const line of given) {
    const name = line.replace(/[:;].*$/s, '').trim();
    const value = line.slice(line.search(/[:;]/) + 1).trim();
    // `Name:` takes a header away, `Name;` sends an empty one.
    if (value !== '' || line.endsWith(';')) out.push([name, value]);
  }
  return out;
}

function addressOf(text: string): URL {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(whole))
    throw new UsageError('(3) URL using bad/illegal format or missing URL', {
      status: 3,
      hint: false,
    });
  const url = new URL(whole);
  if (!/^https?:$/.test(url.protocol))
    throw new UsageError(
      `(1) Protocol "${url.protocol.slice(0, -1)}" not supported or disabled in libcurl`,
      { status: 1, hint: false },
    );
  return url;
}

const seconds = (text: string | undefined, fallback: number): number => {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!(value >= 0))
    throw new UsageError(`expected a proper numerical parameter, not '${text}'`, { status: 2 });
  return value === 0 ? fallback : value;
};

/** A count; -1 is without end. */
function count(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^-?\d+$/.test(text))
    throw new UsageError(`expected a proper numerical parameter, not '${text}'`, { status: 2 });
  return Number(text) < 0 ? Number.POSITIVE_INFINITY : Number(text);
}

async function requestOf(tool: Tool, options: Options, text: string): Promise<Transfer> {
  const url = addressOf(text);
  const upload = options.get('T');
  // What is uploaded to a directory keeps its name.
  if (upload !== undefined && !/^[-.]$/.test(upload) && url.pathname.endsWith('/'))
    url.pathname += encodeURIComponent(baseOf(upload));
  if (options.has('G')) {
    const data = await dataOf(tool, options);
    if (data !== undefined) url.search += `${url.search === '' ? '' : '&'}${data}`;
  }
  const sent = await bodyOf(tool, options);
  const implied = options.has('I')
    ? 'HEAD'
    : sent === null
      ? 'GET'
      : options.has('T')
        ? 'PUT'
        : 'POST';
  return {
    url,
    method: implied,
    saidMethod: options.get('X')?.toUpperCase(),
    headers: headersOf(options, sent?.type),
    body: sent?.body ?? null,
    follows: options.has('L'),
    mostRedirects: count(options.get('max-redirs'), 50),
    keepsMethod: options.has('keep'),
    timeoutMs: seconds(options.get('m'), 300) * 1000,
  };
}

/** `%{http_code}\n` and the like. */
function written(format: string, done: Transferred, answer: NetworkAnswer): string {
  const values: Readonly<Record<string, string>> = {
    content_type: headerOf(answer, 'content-type') ?? '',
    http_code: String(answer.status).padStart(3, '0'),
    response_code: String(answer.status).padStart(3, '0'),
    http_version: answer.httpVersion,
    method: done.method,
    num_redirects: String(done.redirects),
    redirect_url: done.redirectUrl,
    remote_ip: answer.address,
    scheme: done.url.protocol.slice(0, -1).toUpperCase(),
    size_download: String(answer.body.length),
    size_header: String(done.answers.reduce((sum, one) => sum + headText(one).length, 0)),
    time_total: done.seconds.toFixed(6),
    url: done.url.href,
    url_effective: done.url.href,
  };
  return format
    .replace(
      /\\([nrt])/g,
      (_all, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? letter,
    )
    .replace(/%header\{([^}]+)\}|%\{(\w+)\}|%%/g, (all, header?: string, name?: string) => {
      if (all === '%%') return '%';
      if (header !== undefined) return headerOf(answer, header.toLowerCase()) ?? '';
      return values[name ?? ''] ?? '';
    });
}

/** Where the answer goes: a file, or standard output. */
function fileOf(
  options: Options,
  index: number,
  url: URL,
  answer: NetworkAnswer,
): { name: string; isTheirs: boolean } | undefined {
  const outputs = options.seen.filter(([key]) => key === 'o' || key === 'O');
  const wanted =
    outputs[index] ?? (outputs.length === 1 && outputs[0]?.[0] === 'O' ? outputs[0] : undefined);
  if (wanted === undefined || (wanted[0] === 'o' && wanted[1] === '-')) return undefined;
  const named = /filename="?([^";/]+)"?/.exec(headerOf(answer, 'content-disposition') ?? '')?.[1];
  // The name of what was asked for: where that leads is for others to say.
  const last = url.pathname.split('/').at(-1) ?? '';
  if (wanted[0] === 'O' && last === '' && named === undefined)
    throw new UsageError('(23) Remote file name has no length', { status: 23, hint: false });
  const theirs = wanted[0] === 'O' && options.has('J') ? named : undefined;
  const name = wanted[0] === 'o' ? wanted[1] : (theirs ?? last);
  const directory = options.get('output-dir');
  return {
    name: directory === undefined || name.startsWith('/') ? name : `${directory}/${name}`,
    isTheirs: theirs !== undefined,
  };
}

/** curl's own part of a world: its mounts, and the hosts that are allowed. */
export interface Surroundings {
  mounts: readonly MountedAt[];
  network: Network | null;
}

/** One address, from its request to its file. */
async function fetchOne(
  tool: Tool,
  options: Options,
  text: string,
  index: number,
  { mounts, network }: Surroundings,
): Promise<void> {
  const quiet = options.has('s') && !options.has('S');
  const fail = (message: string, status: number): void => {
    if (!quiet) tool.warn(message);
    tool.status = status;
  };
  const request = await requestOf(tool, options, text);
  const advise = (url: URL, why: string): void => {
    tool.stderr += `dirigent: ${why}${adviceFor(url, mounts, network)}\n`;
  };
  if (network === null) {
    tool.status = 7;
    tool.warn(told(new NetworkError('refused', ''), request.url)[0]);
    advise(request.url, '');
    return;
  }
  let done: Transferred;
  try {
    done = await retried(tool, options, network, request);
  } catch (error) {
    if (error instanceof TooManyRedirects) return fail(`(47) ${error.message}`, 47);
    if (!(error instanceof NetworkError)) throw error;
    fail(...told(error, request.url));
    // What is refused is told to everybody: it does not come right by itself.
    if (error.kind === 'refused') tool.stderr += `dirigent: ${error.message}\n`;
    return;
  }
  const answer = done.answers.at(-1);
  if (answer === undefined) return;
  if (options.has('v')) tool.stderr += verbose(request, done);
  const failed = answer.status >= 400;
  const shows = !(failed && options.has('f'));
  const heads = done.answers.map(headText).join('');
  const head = options.has('i') || options.has('I') ? heads : '';
  let bytes: Buffer;
  try {
    bytes = options.has('compressed') && done.method !== 'HEAD' ? decoded(answer) : answer.body;
  } catch (error) {
    if (!(error instanceof NotDecoded)) throw error;
    return fail(`(61) ${error.message}`, 61);
  }
  const body = bytes.toString('latin1');
  const dump = options.get('D');
  if (dump === '-') tool.write(heads);
  else if (dump !== undefined) await tool.attempt(dump, () => tool.save(dump, heads));
  if (shows) await deliver(tool, options, fileOf(options, index, request.url, answer), head + body);
  const format = options.get('w');
  if (format !== undefined) {
    // The ends of lines in a file are none of its format.
    const template = format.startsWith('@')
      ? (await tool.read(format.slice(1))).replace(/[\r\n]/g, '')
      : format;
    tool.print(written(template, done, answer));
  }
  if (failed && (options.has('f') || options.has('fail-with-body')))
    fail(`(22) The requested URL returned error: ${answer.status}`, 22);
}

async function deliver(
  tool: Tool,
  options: Options,
  wanted: { name: string; isTheirs: boolean } | undefined,
  bytes: string,
): Promise<void> {
  if (wanted === undefined) return tool.write(bytes);
  const { name: file, isTheirs } = wanted;
  const path = tool.path(file);
  try {
    // A name that the host chose is never that of a file that is there.
    if (isTheirs && (await tool.fs.exists(path))) {
      tool.warn(`(23) Failure writing output to destination: ${file}: File exists`);
      tool.status = 23;
      return;
    }
    if (options.has('create-dirs')) {
      await tool.fs.mkdir(path.slice(0, path.lastIndexOf('/')) || '/', { recursive: true });
    }
    await tool.fs.writeFile(path, toBuffer(bytes));
  } catch (error) {
    const why = strerror(error);
    if (why === undefined) throw error;
    tool.warn(`(23) Failure writing output to destination: ${file}: ${why}`);
    tool.status = 23;
  }
}

const PASSING = new Set([408, 429, 500, 502, 503, 504]);

async function retried(
  tool: Tool,
  options: Options,
  network: Network,
  request: Transfer,
): Promise<Transferred> {
  const tries = count(options.get('retry'), 0);
  for (let tried = 0; ; tried++) {
    const last = tried >= tries;
    try {
      const done = await transfer(tool, network, request);
      if (last || !PASSING.has(done.answers.at(-1)?.status ?? 0)) return done;
    } catch (error) {
      if (last || !(error instanceof NetworkError) || error.kind === 'refused') throw error;
    }
    await tool.spawn(['sleep', options.get('retry-delay') ?? String(Math.min(2 ** tried, 30))]);
  }
}

/** What is sent and what came, without what a header keeps secret. */
function verbose(request: Transfer, done: Transferred): string {
  const answer = done.answers.at(-1);
  const sent = request.headers.map(
    ([name, value]) => `> ${name}: ${isPrivateHeader(name) ? '…' : value}\n`,
  );
  const came =
    answer === undefined
      ? ''
      : headText(answer)
          .replaceAll('\r', '')
          .replace(/^(?=[\s\S])/gm, '< ');
  return `> ${request.saidMethod ?? request.method} ${request.url.pathname}${request.url.search} HTTP/1.1\n> Host: ${request.url.host}\n${sent.join('')}>\n${came}`;
}

export async function curl(tool: Tool, surroundings: Surroundings): Promise<undefined> {
  const options = tool.options({ short: SHORT, long: LONG });
  if (options.has('V')) {
    tool.print('curl 8.0 (dirigent)\nProtocols: http https\n');
    return;
  }
  if (options.has('k'))
    throw new UsageError('certificates are always checked here: -k is not taken', {
      status: 2,
      hint: false,
    });
  const addresses = [...options.all('url'), ...options.operands];
  if (addresses.length === 0) throw new UsageError('(2) no URL specified', { status: 2 });
  for (const [index, address] of addresses.entries()) {
    // The last address decides.
    tool.status = 0;
    try {
      await fetchOne(tool, options, address, index, surroundings);
    } catch (error) {
      const why = strerror(error);
      if (why === undefined) throw error;
      tool.warn(`(26) Failed to open/read local data from file/application: ${why}`);
      tool.status = 26;
    }
  }
}
