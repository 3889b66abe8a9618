/** dd: blocks from one file to another. */
import { randomFillSync } from 'node:crypto';
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, strerror, type Tool } from '../support/tool.ts';
import { convert, swapped } from './convert.ts';
import { parseOperands, type Request } from './operands.ts';

/** Devices that never end: what is read of them is as much as was asked for. */
const ENDLESS: Readonly<Record<string, (bytes: Buffer) => void>> = {
  '/dev/zero': () => undefined,
  '/dev/full': () => undefined,
  '/dev/random': (bytes) => randomFillSync(bytes),
  '/dev/urandom': (bytes) => randomFillSync(bytes),
};

/** What a file of a world may be made to hold by one dd. Bytes. */
const MOST = 1024 * 1024 * 1024;

/** The input from where reading begins, as far as it will be read. */
async function input(tool: Tool, request: Request): Promise<Buffer> {
  const { file, block, count, skip } = request.input;
  const start = request.input.skipBytes ? skip : skip * block;
  const length = count === undefined ? Infinity : request.input.countBytes ? count : count * block;
  const fill = file === undefined ? undefined : ENDLESS[tool.path(file)];
  if (fill === undefined) {
    const bytes = await tool.readBytes(file ?? '-');
    if (start > bytes.length) {
      tool.warn(`${file ?? "'standard input'"}: cannot skip to specified offset`);
    }
    if (start + length <= bytes.length) tool.enough();
    return bytes.subarray(start, start + length);
  }
  if (length > MOST) {
    throw new UsageError(
      `'${file}' never ends: say with count= how much of it is wanted, 1 GiB at most`,
      {
        hint: false,
      },
    );
  }
  const bytes = Buffer.alloc(length);
  fill(bytes);
  return bytes;
}

/** The blocks of a length in some bytes: whole ones, and whether there is a part of one. */
function records(length: number, block: number): string {
  return `${Math.floor(length / block)}+${length % block === 0 ? 0 : 1}`;
}

/** Each block of input that is not whole is filled up, as `conv=sync` wants it. */
function filled(bytes: Buffer, block: number, filler: number): Buffer {
  const over = bytes.length % block;
  return over === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(block - over, filler)]);
}

async function output(tool: Tool, request: Request, bytes: Buffer): Promise<void> {
  const { file, block, seek, seekBytes, append } = request.output;
  if (file === undefined) {
    tool.write(bytes.toString('latin1'));
    return;
  }
  const { conversions } = request;
  const path = tool.path(file);
  const there = await tool.fs.exists(path);
  if (conversions.has('excl') && there) {
    throw new UsageError(`failed to open '${file}': File exists`, { hint: false });
  }
  if (conversions.has('nocreat') && !there) {
    throw new UsageError(`failed to open '${file}': No such file or directory`, { hint: false });
  }
  if (append && !conversions.has('notrunc')) {
    tool.warn('you probably want conv=notrunc with oflag=append');
    return tool.fs.writeFile(path, bytes);
  }
  if (append) return tool.fs.appendFile(path, bytes);
  const at = seekBytes ? seek : seek * block;
  if (at + bytes.length > MOST) {
    throw new UsageError(
      `failed to truncate to ${at} bytes in output file '${file}': File too large`,
      {
        hint: false,
      },
    );
  }
  const keeps = conversions.has('notrunc');
  if (path.startsWith('/dev/') || (at === 0 && !keeps)) return tool.fs.writeFile(path, bytes);
  const old = there ? await tool.readBytes(file) : Buffer.alloc(0);
  const whole = Buffer.alloc(keeps ? Math.max(old.length, at + bytes.length) : at + bytes.length);
  old.copy(whole, 0, 0, keeps ? old.length : at);
  bytes.copy(whole, at);
  return tool.fs.writeFile(path, whole);
}

/** 1.0 kB: one place after the point below ten, rounded as dd does. */
function human(bytes: number, base: 1000 | 1024): string {
  const units = base === 1000 ? ['kB', 'MB', 'GB'] : ['KiB', 'MiB', 'GiB'];
  let value = bytes;
  let unit = -1;
  // What would be shown as 1000 kB is 1.0 MB.
  while (Math.round(value) >= base && unit < units.length - 1) {
    value /= base;
    unit++;
  }
  return unit < 0
    ? `${bytes} B`
    : `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

function transferred(bytes: number, seconds: number): string {
  const sizes = [
    bytes < 1000 ? undefined : human(bytes, 1000),
    bytes < 1024 ? undefined : human(bytes, 1024),
  ].filter((size) => size !== undefined);
  const shown = sizes.length === 0 ? '' : ` (${sizes.join(', ')})`;
  const noun = bytes === 1 ? 'byte' : 'bytes';
  const time = Number(seconds.toPrecision(6));
  return `${bytes} ${noun}${shown} copied, ${time} s, ${human(Math.round(bytes / seconds), 1000)}/s\n`;
}

async function dd(tool: Tool): Promise<undefined> {
  const request = parseOperands(tool.args);
  const began = performance.now();
  const { conversions } = request;
  const named = request.input.file ?? 'standard input';
  let read: Buffer;
  try {
    read = await input(tool, request);
  } catch (error) {
    const why = strerror(error);
    if (why === undefined) throw error;
    tool.fail(`failed to open '${named}': ${why}`);
    return;
  }
  let bytes = read;
  if (conversions.has('sync')) {
    bytes = filled(bytes, request.input.block, request.recordSize > 0 ? 0x20 : 0);
  }
  if (conversions.has('swab')) bytes = swapped(bytes);
  const converted = convert(bytes, conversions, request.recordSize);
  bytes = converted.bytes;
  try {
    await output(tool, request, bytes);
  } catch (error) {
    const why = strerror(error);
    if (why === undefined) throw error;
    tool.fail(`failed to open '${request.output.file}': ${why}`);
    return;
  }
  if (request.status === 'none') return;
  // Without block sizes of their own, what was read in part is written in part.
  tool.stderr += `${records(read.length, request.input.block)} records in\n`;
  tool.stderr += `${records(bytes.length, request.output.block)} records out\n`;
  if (converted.truncated > 0) {
    tool.stderr += `${converted.truncated} truncated record${converted.truncated === 1 ? '' : 's'}\n`;
  }
  if (request.status === 'noxfer') return;
  tool.stderr += transferred(bytes.length, Math.max(performance.now() - began, 0.001) / 1000);
}

/** dd. */
export const ddShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'dd',
      usage: `Usage: dd [OPERAND]...\nCopy a file, converting and formatting according to the operands.

  if=FILE  of=FILE      instead of standard input and output
  bs=BYTES  ibs=  obs=  at a time (512)
  count=N  skip=N  seek=N   blocks to copy, of input and of output to pass over
  conv=LIST   ascii ebcdic ibm block unblock lcase ucase swab sync excl nocreat notrunc noerror fsync
  iflag=LIST  oflag=LIST    count_bytes skip_bytes seek_bytes append fullblock
  status=LEVEL  none, noxfer, progress`,
    },
    dd,
  ),
];
