/** iconv between UTF-8, UTF-16, Latin-1, ASCII, and from what TextDecoder knows. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toBuffer } from '../support/tool.ts';

interface Target {
  name: string;
  ignore: boolean;
  translit: boolean;
}

function target(text: string): Target {
  const [name = '', ...suffixes] = text.split('//');
  const flags = suffixes.join('/').toUpperCase();
  return {
    name: name === '' ? 'utf-8' : name.toLowerCase().replaceAll('_', '-'),
    ignore: flags.includes('IGNORE'),
    translit: flags.includes('TRANSLIT'),
  };
}

const CANNOT = 'cannot convert';

function limited(text: string, top: number, { ignore, translit }: Target): string {
  let out = '';
  for (const char of text) {
    if ((char.codePointAt(0) ?? 0) <= top) out += char;
    else if (translit) {
      const plain = char.normalize('NFD').replace(/\p{M}/gu, '');
      out += [...plain].every((one) => (one.codePointAt(0) ?? 0) <= top) ? plain : '?';
    } else if (!ignore) throw new UsageError(CANNOT, { hint: false });
  }
  return out;
}

function encode(text: string, to: Target): Buffer | undefined {
  const plain = to.name.replace(/[-_]/g, '');
  if (plain === 'utf8') return Buffer.from(text, 'utf8');
  if (plain === 'utf16le' || plain === 'ucs2le') return Buffer.from(text, 'utf16le');
  if (plain === 'utf16be') return Buffer.from(text, 'utf16le').swap16();
  if (plain === 'utf16' || plain === 'ucs2') return Buffer.from(`\ufeff${text}`, 'utf16le');
  if (/^(?:iso88591|latin1|l1)$/.test(plain)) return Buffer.from(limited(text, 0xff, to), 'latin1');
  if (/^(?:ascii|usascii|ansix3\.41968)$/.test(plain))
    return Buffer.from(limited(text, 0x7f, to), 'latin1');
  return undefined;
}

function decode(bytes: Buffer, from: string, ignore: boolean): string {
  const plain = from.replace(/[-_]/g, '');
  if (/^(?:iso88591|latin1|l1)$/.test(plain)) return bytes.toString('latin1');
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(plain === 'utf8' ? 'utf-8' : from, {
      fatal: !ignore,
      ignoreBOM: plain === 'utf8',
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`conversion from \`${from}' is not supported`, { hint: true });
  }
  const text = decoder.decode(bytes);
  return ignore ? text.replaceAll('\ufffd', '') : text;
}

async function iconv(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'cf:lo:st:',
    long: {
      'from-code': 'f:',
      'to-code': 't:',
      list: 'l',
      output: 'o:',
      silent: 's',
      verbose: 'ignored',
    },
  });
  if (options.has('l')) {
    tool.print('ASCII//\nISO-8859-1//\nUTF-16//\nUTF-16BE//\nUTF-16LE//\nUTF-8//\n');
    return;
  }
  const from = target(options.get('f') ?? 'utf-8').name;
  const to = target(options.get('t') ?? 'utf-8');
  to.ignore ||= options.has('c');
  const names = options.operands.length === 0 ? ['-'] : options.operands;
  const parts: Buffer[] = [];
  for (const name of names) {
    const content = await tool.tryRead(name, 1, `cannot open input file \`${name}'`);
    if (content === undefined) continue;
    try {
      const made = encode(decode(toBuffer(content), from, to.ignore), to);
      if (made === undefined) throw new UsageError(`conversion to \`${to.name}' is not supported`);
      parts.push(made);
    } catch (error) {
      const invalid =
        error instanceof TypeError || (error instanceof UsageError && error.message === CANNOT);
      if (!invalid) throw error;
      tool.fail(
        error instanceof TypeError
          ? 'incomplete or illegal input sequence'
          : `${CANNOT} to ${to.name}`,
      );
    }
  }
  const bytes = Buffer.concat(parts).toString('latin1');
  const output = options.get('o');
  if (output === undefined) tool.write(bytes);
  else await tool.attempt(`unable to open output file`, () => tool.save(output, bytes));
}

/** iconv. */
export const iconvShims: ShimFactory = (host) => [
  defineTool(host, { name: 'iconv', usage: 'Usage: iconv [OPTION...] [FILE...]' }, iconv),
];
