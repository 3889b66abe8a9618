/** Small ones of a page each: uuidgen, mcookie, dos2unix, unix2dos, colrm, link, shred, pathchk, chown, chgrp, dir, vdir, openssl. */
import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import type { ShimFactory } from '../../src/shell/command.ts';
import { OWNER, OWNER_ID } from '../support/files.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, parseSize, splitLines, type Tool, toBytes, toText } from '../support/tool.ts';
import { openssl } from './openssl.ts';

async function uuidgen(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'rtmsn:N:x',
    long: { md5: 'm', name: 'N:', namespace: 'n:', random: 'r', sha1: 's', time: 't' },
  });
  if (options.operands.length > 0 || options.has('m') || options.has('s'))
    throw new UsageError('only random ones are made here: uuidgen -r');
  tool.print(`${randomUUID()}\n`);
}

async function mcookie(tool: Tool): Promise<undefined> {
  tool.print(`${randomBytes(16).toString('hex')}\n`);
}

const lineEnds =
  (change: (bytes: string) => string) =>
  async (tool: Tool): Promise<undefined> => {
    const options = tool.options({
      short: 'afikonsuqvO',
      long: { force: 'f', keepdate: 'k', newfile: 'n', oldfile: 'o', quiet: 'q', 'to-stdout': 'O' },
    });
    const { operands } = options;
    if (operands.length === 0 || options.has('O')) {
      for (const name of operands.length === 0 ? ['-'] : operands) {
        const content = await tool.tryRead(name, 2);
        if (content !== undefined) tool.write(change(content));
      }
      return;
    }
    const alone = options.has('n') && operands.length % 2 === 1 ? operands.pop() : undefined;
    const pairs = options.has('n')
      ? operands.flatMap((name, i) => (i % 2 === 0 ? [[name, operands[i + 1]]] : []))
      : operands.map((name) => [name, name]);
    if (alone !== undefined) tool.fail(`target of file ${alone} not specified in new-file mode`);
    const direction = tool.name === 'dos2unix' ? 'Unix' : 'DOS';
    for (const [from = '', to = ''] of pairs) {
      const content = await tool.tryRead(from, 2);
      if (content === undefined) continue;
      if (content.includes('\0') && !options.has('f')) {
        tool.warn(
          `Binary symbol 0x00 found at line ${content.slice(0, content.indexOf('\0')).split('\n').length}`,
        );
        tool.warn(`Skipping binary file ${from}`);
        continue;
      }
      await tool.attempt(to, () => tool.save(to, change(content)), 2);
      if (!options.has('q')) {
        tool.warn(
          from === to
            ? `converting file ${from} to ${direction} format...`
            : `converting file ${from} to file ${to} in ${direction} format...`,
        );
      }
    }
  };

async function colrm(tool: Tool): Promise<undefined> {
  const { operands } = tool.options({ short: '' });
  const [first, last] = operands.map((text) => {
    if (!/^[1-9]\d*$/.test(text))
      throw new UsageError(`first argument: '${text}': it has to be a column`, { hint: false });
    return Number(text);
  });
  const lines = splitLines(tool.stdin);
  for (const [at, line] of lines.entries()) {
    const chars = [...toText(line)];
    const kept =
      first === undefined
        ? chars
        : chars.filter((_, i) => i + 1 < first || (last !== undefined && i + 1 > last));
    const end = at < lines.length - 1 || tool.stdin.endsWith('\n') ? '\n' : '';
    tool.write(toBytes(kept.join('') + end));
  }
}

async function link(tool: Tool): Promise<undefined> {
  const { operands } = tool.options({ short: '' });
  const [from, to, extra] = operands;
  if (from === undefined) throw new UsageError('missing operand');
  if (to === undefined) throw new UsageError(`missing operand after '${from}'`);
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  await tool.attempt(`cannot create link '${to}' to '${from}'`, () =>
    tool.fs.link(tool.path(from), tool.path(to)),
  );
}

/** Overwrites, as far as what is below keeps one copy of a file, and removes with -u. */
async function shred(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'fn:s:uvxz',
    long: {
      exact: 'x',
      force: 'f',
      iterations: 'n:',
      'random-source': 'source:',
      remove: 'u::',
      size: 's:',
      verbose: 'v',
      zero: 'z',
    },
  });
  if (options.operands.length === 0) throw new UsageError('missing file operand');
  const passes = options.get('n') ?? '3';
  if (!/^\d+$/.test(passes))
    throw new UsageError(`invalid number of passes: '${passes}'`, { hint: false });
  const size = sizeToShred(options.get('s'));
  const fills = [
    ...new Array<string>(Number(passes)).fill('random'),
    ...(options.has('z') ? ['000000'] : []),
  ];
  for (const name of options.operands) {
    await tool.attempt(`${name}: failed to open for writing`, async () => {
      const path = tool.path(name);
      const before = await tool.readBytes(name);
      const length =
        size ?? (options.has('x') ? before.length : Math.ceil(before.length / 4096) * 4096);
      // What is behind the size that was asked for stays.
      const bytes = Buffer.alloc(Math.max(length, before.length));
      before.copy(bytes);
      const overwritten = bytes.subarray(0, length);
      for (const [pass, fill] of fills.entries()) {
        if (fill === 'random') randomFillSync(overwritten);
        else overwritten.fill(0);
        await tool.fs.writeFile(path, bytes);
        if (options.has('v')) tool.warn(`${name}: pass ${pass + 1}/${fills.length} (${fill})...`);
      }
      if (options.has('u')) await tool.fs.rm(path);
    });
  }
}

function sizeToShred(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const size = parseSize(text);
  if (size === undefined) throw new UsageError(`invalid file size: '${text}'`, { hint: false });
  return size;
}

const PORTABLE = /^[A-Za-z0-9._-]*$/;

async function pathchk(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'pP', long: { portability: 'both' } });
  const [strict, dashes] = [
    options.has('p') || options.has('both'),
    options.has('P') || options.has('both'),
  ];
  if (options.operands.length === 0) throw new UsageError('missing operand');
  for (const name of options.operands) {
    const parts = name.split('/');
    const odd = parts.flatMap((part) => [...part]).find((char) => !PORTABLE.test(char));
    const [mostName, mostPath] = strict ? [14, 255] : [255, 4095];
    const long = parts.find((part) => Buffer.byteLength(part) > mostName);
    if (name === '' && (strict || dashes)) tool.fail('empty file name');
    else if (name === '') tool.fail("'': No such file or directory");
    else if (dashes && parts.some((part) => part.startsWith('-')))
      tool.fail(`leading '-' in a component of file name '${name}'`);
    else if (strict && odd !== undefined)
      tool.fail(`nonportable character '${odd}' in file name '${name}'`);
    else if (Buffer.byteLength(name) > mostPath)
      tool.fail(
        `limit ${mostPath} exceeded by length ${Buffer.byteLength(name)} of file name '${name}'`,
      );
    else if (long !== undefined && !strict) tool.fail(`${name}: File name too long`);
    else if (long !== undefined)
      tool.fail(
        `limit ${mostName} exceeded by length ${Buffer.byteLength(long)} of file name component '${long}'`,
      );
  }
}

/** Files have one owner, which can be given to itself. */
async function chown(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'cfhHLPRv',
    long: {
      changes: 'c',
      dereference: 'd',
      'no-dereference': 'h',
      recursive: 'R',
      reference: 'reference:',
      quiet: 'f',
      silent: 'f',
      verbose: 'v',
      from: 'from:',
    },
  });
  const operands = [...options.operands];
  const wanted = options.has('reference') ? OWNER : operands.shift();
  if (wanted === undefined) throw new UsageError('missing operand');
  if (operands.length === 0) throw new UsageError(`missing operand after '${wanted}'`);
  const names =
    tool.name === 'chgrp' ? [wanted] : wanted.split(/[:.]/).filter((name) => name !== '');
  const group = tool.name === 'chgrp';
  for (const name of operands) {
    const there = await tool.attempt(`cannot access '${name}'`, () =>
      tool.fs.lstat(tool.path(name)),
    );
    if (there === undefined) continue;
    if (names.every((one) => one === OWNER || one === String(OWNER_ID))) continue;
    tool.fail(`changing ${group ? 'group' : 'ownership'} of '${name}': Operation not permitted`);
  }
  if (tool.status !== 0)
    tool.stderr += `dirigent: all files belong to ${OWNER} here; what may be done with them is said by chmod, and by the mode of their mount\n`;
}

const listing =
  (...flags: string[]) =>
  async (tool: Tool): Promise<undefined> => {
    const { stdout, stderr, exitCode } = await tool.spawn(['ls', ...flags, ...tool.args]);
    tool.write(stdout);
    tool.stderr += stderr.replaceAll(/^ls: /gm, `${tool.name}: `);
    tool.status = exitCode;
  };

type Row = readonly [name: string, usage: string, body: (tool: Tool) => Promise<undefined>];

const TOOLS: readonly Row[] = [
  ['uuidgen', 'Usage: uuidgen [-r]\nPrint a random UUID.', uuidgen],
  ['mcookie', 'Usage: mcookie\nPrint 128 random bits.', mcookie],
  [
    'dos2unix',
    'Usage: dos2unix [-n] [-q] [FILE]...\nEnd lines with \\n.',
    lineEnds((bytes) => bytes.replaceAll('\r\n', '\n')),
  ],
  [
    'unix2dos',
    'Usage: unix2dos [-n] [-q] [FILE]...\nEnd lines with \\r\\n.',
    lineEnds((bytes) => bytes.replace(/(?<!\r)\n/g, '\r\n')),
  ],
  ['colrm', 'Usage: colrm [FIRST [LAST]]\nRemove columns of standard input.', colrm],
  ['link', 'Usage: link FILE1 FILE2\nMake FILE2 another name of FILE1.', link],
  ['shred', 'Usage: shred [-u] [-n N] [-z] FILE...\nOverwrite files; -u: and remove them.', shred],
  [
    'pathchk',
    'Usage: pathchk [-p] [-P] [--portability] NAME...\nCheck whether names are valid or portable.',
    pathchk,
  ],
  ['chown', 'Usage: chown [-R] [OWNER][:[GROUP]] FILE...\nAll files have one owner here.', chown],
  ['chgrp', 'Usage: chgrp [-R] GROUP FILE...\nAll files have one group here.', chown],
  ['dir', 'Usage: dir [OPTION]... [FILE]...\nls -C -b', listing('-C', '-b')],
  ['vdir', 'Usage: vdir [OPTION]... [FILE]...\nls -l -b', listing('-l', '-b')],
  [
    'openssl',
    'Usage: openssl dgst [-md5|-sha1|-sha256|-sha512|…] [-hmac KEY] [-r|-hex|-binary] [FILE]...\n       openssl rand [-hex|-base64] N\n       openssl base64|enc -base64 [-d] [-A] [-in FILE] [-out FILE]',
    openssl,
  ],
];

/** uuidgen, mcookie, dos2unix, unix2dos, colrm, link, shred, pathchk, chown, chgrp, dir, vdir, openssl. */
export const uuidgenShims: ShimFactory = (host) =>
  TOOLS.map(([name, usage, body]) => defineTool(host, { name, usage }, body));
