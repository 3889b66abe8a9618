/** iconv: between character sets. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toBuffer } from '../support/tool.ts';
import { ConversionError, decode, encode, isReadable, type Leniency } from './charsets.ts';

interface Target extends Leniency {
  name: string;
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

/** Converts all that it can; `error` says where it had to stop. */
function convert(bytes: Buffer, from: string, to: Target): { made?: Buffer; error?: string } {
  const { name, ...leniency } = to;
  try {
    const made = encode(decode(bytes, from, to.ignore), name, leniency, from);
    return made === undefined ? {} : { made };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return { ...beforeFault(error, name), error: error.message };
  }
}

function beforeFault({ before, inTarget }: ConversionError, name: string): { made?: Buffer } {
  const made = inTarget
    ? Buffer.from(before, 'latin1')
    : encode(before, name, { ignore: true, translit: false }, name);
  return made === undefined ? {} : { made };
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
  if (!isReadable(from)) throw new UsageError(`conversion from \`${from}' is not supported`);
  const to = target(options.get('t') ?? 'utf-8');
  to.ignore ||= options.has('c');
  const names = options.operands.length === 0 ? ['-'] : options.operands;
  const parts: Buffer[] = [];
  for (const name of names) {
    const content = await tool.tryRead(name, 1, `cannot open input file \`${name}'`);
    if (content === undefined) continue;
    const { made, error } = convert(toBuffer(content), from, to);
    if (made === undefined) throw new UsageError(`conversion to \`${to.name}' is not supported`);
    parts.push(made);
    if (error === undefined) continue;
    tool.fail(error);
    break;
  }
  const bytes = Buffer.concat(parts).toString('latin1');
  const output = options.get('o');
  if (output === undefined) tool.write(bytes);
  else await tool.attempt('cannot open output file', () => tool.save(output, bytes));
}

/** iconv. */
export const iconvShims: ShimFactory = (host) => [
  defineTool(host, { name: 'iconv', usage: 'Usage: iconv [OPTION...] [FILE...]' }, iconv),
];
