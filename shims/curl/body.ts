/** What curl sends: -d and its kin, -F, -T. */
import { randomBytes } from 'node:crypto';
import { type Options, UsageError } from '../support/getopt.ts';
import { type Tool, toBuffer } from '../support/tool.ts';

export interface Sent {
  body: Buffer;
  /** undefined: none is said. */
  type: string | undefined;
}

const DATA = new Set(['d', 'data-raw', 'data-binary', 'data-urlencode', 'json']);

const encoded = (bytes: string): string =>
  [...bytes]
    .map((char) => {
      if (char === ' ') return '+';
      const code = char.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase();
      return /[A-Za-z0-9_.~-]/.test(char) ? char : `%${code}`;
    })
    .join('');

/** `content`, `=content`, `name=content`, `@file`, `name@file`. */
async function urlEncoded(tool: Tool, value: string): Promise<string> {
  const match = /^([^=@]*)([=@])(.*)$/s.exec(value);
  if (match === null) return encoded(Buffer.from(value).toString('latin1'));
  const [, name = '', sign, rest = ''] = match;
  const content = sign === '@' ? await tool.read(rest) : Buffer.from(rest).toString('latin1');
  return `${name === '' ? '' : `${name}=`}${encoded(content)}`;
}

/** All data of the command line, joined as curl joins it; undefined where there is none. Bytes. */
export async function dataOf(tool: Tool, options: Options): Promise<string | undefined> {
  let out: string | undefined;
  for (const [key, value] of options.seen) {
    if (!DATA.has(key)) continue;
    let piece = Buffer.from(value).toString('latin1');
    if (key === 'data-urlencode') piece = await urlEncoded(tool, value);
    else if (key !== 'data-raw' && value.startsWith('@')) {
      piece = await tool.read(value.slice(1));
      if (key === 'd') piece = piece.replace(/[\r\n\0]/g, '');
    }
    out = out === undefined ? piece : key === 'json' ? out + piece : `${out}&${piece}`;
  }
  return out;
}

/** `name=value`, `name=@file;type=…;filename=…`, `name=<file` */
async function form(tool: Tool, options: Options): Promise<Sent> {
  const boundary = `------------------------${randomBytes(8).toString('hex')}`;
  let text = '';
  for (const [key, value] of options.seen) {
    if (key !== 'F' && key !== 'form-string') continue;
    const at = value.indexOf('=');
    if (at < 0) throw new UsageError(`Illegally formatted input field!`, { status: 2 });
    const name = value.slice(0, at);
    const rest = value.slice(at + 1);
    const [first = '', ...settings] = key === 'F' ? rest.split(';') : [rest];
    const setting = (wanted: string): string | undefined =>
      settings
        .find((one) => one.trim().startsWith(`${wanted}=`))
        ?.trim()
        .slice(wanted.length + 1);
    const isFile = key === 'F' && /^[@<]/.test(first);
    const content = isFile
      ? await tool.read(first.slice(1))
      : Buffer.from(first).toString('latin1');
    const file =
      first.startsWith('@') && isFile
        ? `; filename="${setting('filename') ?? first.slice(first.lastIndexOf('/') + 1).replace(/^@/, '')}"`
        : '';
    const type = setting('type') ?? (file === '' ? undefined : 'application/octet-stream');
    text += `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n${content}\r\n`;
  }
  return {
    body: toBuffer(`${text}--${boundary}--\r\n`),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

/** What is sent; null where nothing is. Fails with a file error. */
export async function bodyOf(tool: Tool, options: Options): Promise<Sent | null> {
  if (options.has('F') || options.has('form-string')) return form(tool, options);
  const upload = options.get('T');
  if (upload !== undefined)
    return { body: await tool.readBytes(upload === '.' ? '-' : upload), type: undefined };
  const data = await dataOf(tool, options);
  if (data === undefined || options.has('G')) return null;
  const type = options.has('json') ? 'application/json' : 'application/x-www-form-urlencoded';
  return { body: toBuffer(data), type };
}
