/** openssl: digests, random bytes and base64. Keys and certificates are not for here. */
import { createHash, createHmac, getHashes, randomBytes } from 'node:crypto';
import { UsageError } from '../support/getopt.ts';
import { strerror, type Tool } from '../support/tool.ts';

/** Options with one dash, of which some take a word. */
function parse(args: readonly string[], valued: ReadonlySet<string>) {
  const options = new Map<string, string>();
  const operands: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (!arg.startsWith('-') || arg === '-') {
      operands.push(arg);
      continue;
    }
    const name = arg.replace(/^--?/, '');
    const value = valued.has(name) ? args[++i] : '';
    if (value === undefined) throw new UsageError(`Option -${name} needs a value`, { hint: false });
    options.set(name, value);
  }
  return { options, operands };
}

async function input(tool: Tool, name: string): Promise<Buffer | undefined> {
  try {
    return await tool.readBytes(name);
  } catch (error) {
    const why = strerror(error);
    if (why === undefined) throw error;
    tool.stderr += `${name}: ${why}\n`;
    tool.status = 1;
    return undefined;
  }
}

async function output(tool: Tool, file: string | undefined, bytes: Buffer | string): Promise<void> {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
  if (file === undefined) tool.write(text);
  else await tool.attempt(file, () => tool.save(file, text));
}

/** As OpenSSL 3 calls them. */
function shownName(digest: string): string {
  return digest
    .toUpperCase()
    .replace(/^SHA(\d{3})(?:-(\d+))?$/, (_, bits, short) =>
      short === undefined ? `SHA2-${bits}` : `SHA2-${bits}/${short}`,
    )
    .replace(/^(BLAKE2[BS]|SHAKE)(\d+)$/, '$1-$2')
    .replace(/^(?:RIPEMD|RMD160|RIPEMD160)$/, 'RIPEMD-160');
}

async function digest(
  tool: Tool,
  name: string | undefined,
  args: readonly string[],
): Promise<void> {
  const { options, operands } = parse(args, new Set(['hmac', 'out', 'mac', 'macopt']));
  const plain = new Set(['hex', 'binary', 'r', 'c', 'hmac', 'out']);
  const named = [...options.keys()].find((key) => !plain.has(key));
  const algorithm = (named ?? name ?? 'sha256').toLowerCase();
  if (
    !getHashes()
      .map((hash) => hash.toLowerCase())
      .includes(algorithm)
  )
    throw new UsageError(`dgst: Unknown option or message digest: ${algorithm}`, { hint: false });
  const key = options.get('hmac');
  // The name of what is taken when none is asked for is an older one.
  const title = (named ?? name) === undefined ? 'SHA256' : shownName(algorithm);
  for (const file of operands.length === 0 ? ['-'] : operands) {
    const bytes = await input(tool, file);
    if (bytes === undefined) continue;
    const hash = key === undefined ? createHash(algorithm) : createHmac(algorithm, key);
    const value = hash.update(bytes).digest();
    const shown = file === '-' ? 'stdin' : file;
    const hex = value.toString('hex');
    // Of standard input it does not tell that there was a key.
    const label = key === undefined || file === '-' ? title : `HMAC-${title}`;
    if (options.has('binary')) await output(tool, options.get('out'), value);
    else
      await output(
        tool,
        options.get('out'),
        options.has('r') ? `${hex} *${shown}\n` : `${label}(${shown})= ${hex}\n`,
      );
  }
}

async function rand(tool: Tool, args: readonly string[]): Promise<void> {
  const { options, operands } = parse(args, new Set(['out']));
  const [count] = operands;
  if (count === undefined || !/^[1-9]\d*$/.test(count))
    throw new UsageError('rand: a number of bytes is needed', { hint: false });
  const bytes = randomBytes(Number(count));
  const text = options.has('hex')
    ? `${bytes.toString('hex')}\n`
    : options.has('base64')
      ? folded(bytes.toString('base64'), false)
      : bytes;
  await output(tool, options.get('out'), text);
}

const folded = (text: string, isOneLine: boolean): string =>
  isOneLine || text === '' ? text : text.replace(/.{1,64}/g, '$&\n');

async function base64(tool: Tool, args: readonly string[]): Promise<void> {
  const { options, operands } = parse(args, new Set(['in', 'out', 'k', 'K', 'iv', 'pass']));
  if ([...options.keys()].some((key) => !['base64', 'a', 'A', 'd', 'e', 'in', 'out'].includes(key)))
    throw new UsageError('nothing is encrypted here: no keys are kept', { hint: false });
  const bytes = await input(tool, options.get('in') ?? operands[0] ?? '-');
  if (bytes === undefined) return;
  if (options.has('d'))
    await output(tool, options.get('out'), Buffer.from(bytes.toString('latin1'), 'base64'));
  else await output(tool, options.get('out'), folded(bytes.toString('base64'), options.has('A')));
}

export async function openssl(tool: Tool): Promise<undefined> {
  const [command, ...rest] = tool.args;
  if (command === undefined) throw new UsageError('a command is needed: dgst, rand or base64');
  if (command === 'version') tool.print(`OpenSSL ${process.versions.openssl}\n`);
  else if (command === 'dgst') await digest(tool, undefined, rest);
  else if (command === 'rand') await rand(tool, rest);
  else if (command === 'base64') await base64(tool, rest);
  else if (command === 'enc' && (rest.includes('-base64') || rest.includes('-a')))
    await base64(tool, rest);
  else if (/^(?:md5|sha\d+|sha512-256|blake2b512|sm3|ripemd160)$/.test(command))
    await digest(tool, command, rest);
  else {
    throw new UsageError(
      `${command}: keys, certificates and connections are not for here: there are dgst, rand and base64`,
      { hint: false },
    );
  }
}
