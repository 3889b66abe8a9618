/** wget. */
import { NetworkError } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { type Tool, toBuffer } from '../support/tool.ts';
import { adviceFor } from './advice.ts';
import type { Surroundings } from './curl.ts';
import { headText, TooManyRedirects, type Transfer, transfer } from './transfer.ts';

const LONG = {
  'body-data': 'body-data:',
  'body-file': 'body-file:',
  'content-disposition': 'ignored',
  continue: 'c',
  'directory-prefix': 'P:',
  header: 'header:',
  'input-file': 'i:',
  'max-redirect': 'max-redirect:',
  method: 'method:',
  'no-clobber': 'nc',
  'no-verbose': 'nv',
  'no-check-certificate': 'insecure',
  'output-document': 'O:',
  'output-file': 'ignored:',
  password: 'password:',
  'post-data': 'post-data:',
  'post-file': 'post-file:',
  quiet: 'q',
  recursive: 'r',
  mirror: 'r',
  'server-response': 'S',
  'show-progress': 'ignored',
  spider: 'spider',
  timeout: 'T:',
  tries: 't:',
  timestamping: 'ignored',
  user: 'user:',
  'user-agent': 'U:',
  verbose: 'v',
} as const;

function number(options: Options, key: string, fallback: number): number {
  const text = options.get(key);
  if (text === undefined) return fallback;
  if (!/^\d+(?:\.\d+)?$/.test(text))
    throw new UsageError(`Invalid number '${text}'.`, { status: 2, hint: false });
  return Number(text);
}

async function requestOf(tool: Tool, options: Options, url: URL): Promise<Transfer> {
  const file = options.get('post-file') ?? options.get('body-file');
  const text = options.get('post-data') ?? options.get('body-data');
  const body =
    file !== undefined ? await tool.readBytes(file) : text === undefined ? null : Buffer.from(text);
  const user = options.get('user');
  const headers: Array<readonly [string, string]> = [
    ['User-Agent', options.get('U') ?? 'Wget/1.21'],
    ['Accept', '*/*'],
  ];
  if (user !== undefined)
    headers.push([
      'Authorization',
      `Basic ${Buffer.from(`${user}:${options.get('password') ?? ''}`).toString('base64')}`,
    ]);
  if (body !== null) headers.push(['Content-Type', 'application/x-www-form-urlencoded']);
  for (const line of options.all('header')) {
    const at = line.indexOf(':');
    if (at < 1)
      throw new UsageError(`--header: Invalid header '${line}'.`, { status: 2, hint: false });
    const name = line.slice(0, at).trim();
    const before = headers.findIndex(([key]) => key.toLowerCase() === name.toLowerCase());
    if (before >= 0) headers.splice(before, 1);
    headers.push([name, line.slice(at + 1).trim()]);
  }
  const implied = options.has('spider') ? 'HEAD' : body === null ? 'GET' : 'POST';
  return {
    url,
    method: (options.get('method') ?? implied).toUpperCase(),
    saidMethod: undefined,
    headers,
    body,
    follows: true,
    mostRedirects: number(options, 'max-redirect', 20),
    keepsMethod: false,
    timeoutMs: (number(options, 'T', 0) || 300) * 1000,
  };
}

/** A name that is not taken yet: `index.html`, `index.html.1` … */
async function freeName(tool: Tool, wanted: string): Promise<string> {
  for (let i = 0; ; i++) {
    const name = i === 0 ? wanted : `${wanted}.${i}`;
    if (!(await tool.fs.exists(tool.path(name)))) return name;
  }
}

async function fetchOne(
  tool: Tool,
  options: Options,
  text: string,
  { mounts, network }: Surroundings,
): Promise<void> {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(whole)) return tool.fail(`${text}: Invalid URL`, 1);
  const url = new URL(whole);
  if (!/^https?:$/.test(url.protocol))
    return tool.fail(`${text}: Unsupported scheme '${url.protocol.slice(0, -1)}'.`, 1);
  const quiet = options.has('q');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (network === null) {
    tool.fail(`Connecting to ${url.hostname}:${port}... failed: Permission denied.`, 4);
    tool.stderr += `dirigent: ${adviceFor(url, mounts, network)}\n`;
    return;
  }
  try {
    const done = await transfer(tool, network, await requestOf(tool, options, url));
    const answer = done.answers.at(-1);
    if (answer === undefined) return;
    if (options.has('S'))
      tool.stderr += done.answers
        .map((one) =>
          headText(one)
            .replace(/^(?=.)/gm, '  ')
            .replaceAll('\r', ''),
        )
        .join('');
    if (answer.status >= 400) {
      if (!quiet) tool.stderr += `ERROR ${answer.status}: ${answer.statusText}.\n`;
      tool.status = 8;
      return;
    }
    if (options.has('spider')) {
      if (!quiet) tool.stderr += 'Remote file exists.\n';
      return;
    }
    const given = options.get('O');
    if (given === '-') return tool.write(answer.body.toString('latin1'));
    const directory = options.get('P');
    // The name of what was asked for: where that leads is for others to say.
    const last = url.pathname.split('/').at(-1) || 'index.html';
    const wanted =
      given ?? (directory === undefined ? last : `${directory.replace(/\/+$/, '')}/${last}`);
    if (options.has('nc') && (await tool.fs.exists(tool.path(wanted)))) return;
    const name = given ?? (await freeName(tool, wanted));
    const path = tool.path(name);
    const saved = await tool.attempt(
      name,
      async () => {
        if (directory !== undefined)
          await tool.fs.mkdir(path.slice(0, path.lastIndexOf('/')) || '/', { recursive: true });
        await tool.fs.writeFile(path, toBuffer(answer.body.toString('latin1')));
        return true;
      },
      3,
    );
    if (saved === true && !quiet) tool.stderr += `'${name}' saved [${answer.body.length}]\n`;
  } catch (error) {
    if (error instanceof TooManyRedirects) return tool.fail(`${error.message}.`, 8);
    if (!(error instanceof NetworkError)) throw error;
    if (error.kind === 'name') tool.fail(`unable to resolve host address '${url.hostname}'`, 4);
    else
      tool.fail(
        `Connecting to ${url.hostname}:${port}... failed: ${error.message}.`,
        error.kind === 'tls' ? 5 : 4,
      );
  }
}

export async function wget(tool: Tool, surroundings: Surroundings): Promise<undefined> {
  // -nv and -nc are one option each, of two letters.
  const args = tool.args.map((arg) =>
    arg === '-nv' ? '--no-verbose' : arg === '-nc' ? '--no-clobber' : arg,
  );
  const options = tool.options({ short: 'cdi:NO:P:qrST:t:U:v', long: LONG }, args);
  if (options.has('r'))
    throw new UsageError('nothing is fetched recursively here', { status: 2, hint: false });
  if (options.has('insecure'))
    throw new UsageError('certificates are always checked here', { status: 2, hint: false });
  const list = options.get('i');
  const listed =
    list === undefined
      ? []
      : (await tool.read(list)).split('\n').filter((line) => line.trim() !== '');
  const addresses = [...options.operands, ...listed];
  if (addresses.length === 0) throw new UsageError('missing URL', { status: 1 });
  for (const address of addresses) await fetchOne(tool, options, address, surroundings);
}
