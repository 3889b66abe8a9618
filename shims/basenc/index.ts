/** base64, base32 and basenc. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type OptionSpec, type Options, UsageError } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';
import { CODES, type Code } from './codes.ts';

const LONG: OptionSpec['long'] = { decode: 'd', 'ignore-garbage': 'i', wrap: 'w:' };
const WRAP = 76;

function wrapOf(options: Options): number {
  const text = options.get('w') ?? String(WRAP);
  if (!/^\d+$/.test(text)) throw new UsageError(`invalid wrap size: '${text}'`, { hint: false });
  return Number(text);
}

/** Lines of a length; the last one ends, too, unless nothing is wrapped. */
function wrapped(text: string, width: number): string {
  if (width === 0 || text === '') return text;
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += width) lines.push(text.slice(at, at + width));
  return `${lines.join('\n')}\n`;
}

async function transcode(tool: Tool, options: Options, code: Code): Promise<undefined> {
  const [file = '-', extra] = options.operands;
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  const width = wrapOf(options);
  const content = await tool.attempt(file, () => tool.readBytes(file));
  if (content === undefined) return;
  if (!options.has('d')) {
    if (code === CODES['z85'] && content.length % 4 !== 0) {
      tool.fail('invalid input (length must be multiple of 4 characters)');
      return;
    }
    tool.write(wrapped(code.encode(content), width));
    return;
  }
  let text = content.toString('latin1').replaceAll('\n', '');
  if (options.has('i')) {
    const { letters } = code;
    text = [...text].filter((letter) => letters.includes(letter)).join('');
  }
  const { bytes, valid } = code.decode(text);
  tool.write(bytes.toString('latin1'));
  if (!valid) tool.fail('invalid input');
}

const usage = (name: string): string =>
  `Usage: ${name} [OPTION]... [FILE]\nEncode or decode FILE, or standard input, to standard output.

  -d, --decode          decode data
  -i, --ignore-garbage  when decoding, ignore other characters
  -w, --wrap=COLS       wrap encoded lines after COLS characters (default ${WRAP}); 0: never`;

const encodings = (name: 'base64' | 'base32') => async (tool: Tool) =>
  transcode(tool, tool.options({ short: 'diw:', long: LONG }), CODES[name] as Code);

async function basenc(tool: Tool): Promise<undefined> {
  const named = Object.fromEntries(Object.keys(CODES).map((name) => [name, name]));
  const options = tool.options({ short: 'diw:', long: { ...LONG, ...named } });
  const chosen = options.seen.findLast(([key]) => Object.hasOwn(CODES, key))?.[0];
  if (chosen === undefined) throw new UsageError('missing encoding type');
  return transcode(tool, options, CODES[chosen] as Code);
}

/** base64, base32, basenc. */
export const basencShims: ShimFactory = (host) => [
  defineTool(host, { name: 'base64', usage: usage('base64') }, encodings('base64')),
  defineTool(host, { name: 'base32', usage: usage('base32') }, encodings('base32')),
  defineTool(
    host,
    {
      name: 'basenc',
      usage: `${usage('basenc')}\n\n  ${Object.keys(CODES)
        .map((name) => `--${name}`)
        .join(' ')}`,
    },
    basenc,
  ),
];
