/** zip and unzip. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Listed, list, type Member, pack, ZipError } from '../../src/zip.ts';
import { baseOf, dirOf } from '../basename/index.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { globMatcher } from '../support/glob.ts';
import { isThere } from '../support/links.ts';
import { strftime, zoned } from '../support/time.ts';
import { defineTool, errnoOf, type Tool, toBuffer } from '../support/tool.ts';

/** What zip says of its work, also of what went wrong, is on its output. */
function unmatched(tool: Tool, name: string): void {
  tool.print(`\tzip warning: name not matched: ${name}\n`);
}

/** @param told what is said of the members that it puts in */
async function collect(
  tool: Tool,
  name: string,
  options: Options,
  out: Map<string, Member>,
  told: Map<string, string>,
): Promise<void> {
  await tool.pulse();
  const path = tool.path(name);
  if (!(await isThere(tool.fs, path))) return unmatched(tool, name);
  await tool.attempt(name, async () => {
    const stat = await (options.has('y') ? tool.fs.lstat(path) : tool.fs.stat(path));
    const shown = name.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
    const stored = options.has('j') ? baseOf(name) : shown;
    if (!stat.isDirectory) {
      const isLink = stat.isSymbolicLink;
      const data = isLink
        ? Buffer.from(await tool.fs.readlink(path))
        : Buffer.from(await tool.fs.readFileBuffer(path));
      const known = out.has(stored);
      out.set(stored, { name: stored, data, date: stat.mtime, mode: stat.mode & 0o777, isLink });
      told.set(stored, known ? 'updating' : '  adding');
      return;
    }
    if (!options.has('j') && !options.has('D') && stored !== '' && stored !== '.') {
      const entry = {
        name: `${stored}/`,
        data: Buffer.alloc(0),
        date: stat.mtime,
        mode: stat.mode & 0o777,
      };
      told.set(entry.name, out.has(entry.name) ? 'updating' : '  adding');
      out.set(entry.name, entry);
    }
    if (!options.has('r')) return;
    for (const entry of await tool.fs.readdirWithFileTypes(path)) {
      await collect(tool, `${name.replace(/\/+$/, '')}/${entry.name}`, options, out, told);
    }
  });
}

async function existing(tool: Tool, archive: string): Promise<Map<string, Member>> {
  const out = new Map<string, Member>();
  try {
    for (const one of list(toBuffer(await tool.read(archive)))) {
      const { name, date, mode, isLink } = one;
      out.set(name, { name, data: one.read(), date, mode, isLink });
    }
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  return out;
}

async function zip(tool: Tool): Promise<undefined> {
  const options = tool.options(
    {
      short: '0123456789rjqDdx:i:uXy',
      long: {
        symlinks: 'y',
        'recurse-paths': 'r',
        'junk-paths': 'j',
        quiet: 'q',
        exclude: 'x:',
        delete: 'd',
        include: 'i:',
      },
    },
    withLists(tool.args),
  );
  const [given, ...names] = options.operands;
  if (given === undefined) throw new UsageError('nothing to do', { status: 16 });
  const archive = /\.[^/.]+$/.test(given) ? given : `${given}.zip`;
  const members = await existing(tool, archive);
  const told = new Map<string, string>();
  let changes = 0;
  if (options.has('d')) {
    for (const pattern of names) {
      const found = [...members.keys()].filter(globMatcher(pattern));
      if (found.length === 0) unmatched(tool, pattern);
      for (const name of found) {
        members.delete(name);
        if (!options.has('q')) tool.print(`deleting: ${name}\n`);
      }
      changes += found.length;
    }
  } else {
    for (const name of names) await collect(tool, name, options, members, told);
    changes = told.size;
  }
  const excluded = options.all('x').map((pattern) => globMatcher(pattern));
  const included = options.all('i').map((pattern) => globMatcher(pattern));
  const kept = [...members.values()].filter(
    ({ name }) =>
      !told.has(name) ||
      (!excluded.some((matches) => matches(name)) &&
        (included.length === 0 || included.some((matches) => matches(name)))),
  );
  if (changes === 0 || (kept.length === 0 && !options.has('d'))) {
    tool.print(`\nzip error: Nothing to do! (${archive})\n`);
    tool.status = 12;
    return;
  }
  const level = Number(options.seen.filter(([key]) => /^\d$/.test(key)).at(-1)?.[0] ?? 6);
  const packed = pack(kept, level);
  if (!options.has('q'))
    for (const one of list(packed)) {
      const how = one.method === 0 ? 'stored' : 'deflated';
      const verb = told.get(one.name);
      if (verb !== undefined)
        tool.print(`${verb}: ${one.name} (${how} ${saved(one.size, one.packed)})\n`);
    }
  await tool.attempt(archive, () => tool.save(archive, packed.toString('latin1')), 15);
  if (tool.status === 1) tool.status = 18;
}

/** When it was changed: a moment in the zone that is set, anything else as it stands. */
function stampOf(tool: Tool, { date, isMoment }: Listed): string {
  const zone = isMoment ? tool.ctx.env.get('TZ') : 'UTC';
  return strftime('%Y-%m-%d %H:%M', zoned(date, zone), date);
}

const EFFORTS = ['N', 'X', 'F', 'S'];

function methodOf({ method, effort }: Listed): string {
  if (method === 0) return 'Stored';
  return method === 8 ? `Defl:${EFFORTS[effort] ?? 'N'}` : `Unk:${String(method).padStart(3, '0')}`;
}

/** How much smaller it is, in percent. */
const saved = (size: number, packed: number): string =>
  `${size === 0 ? 0 : Math.round((100 * (size - packed)) / size)}%`;

interface Listing {
  archive: string;
  isQuiet: boolean;
  /** -v: how each member is kept, too. */
  isFull: boolean;
}

/** `unzip -l` and `unzip -v`. */
function table(
  tool: Tool,
  members: readonly Listed[],
  { archive, isQuiet, isFull }: Listing,
): void {
  const size = members.reduce((sum, one) => sum + one.size, 0);
  const packed = members.reduce((sum, one) => sum + one.packed, 0);
  const files = `${members.length} ${members.length === 1 ? 'file' : 'files'}`;
  const number = (value: number, width: number): string => String(value).padStart(width);
  if (!isQuiet) tool.print(`Archive:  ${archive}\n`);
  if (!isFull) {
    tool.print('  Length      Date    Time    Name\n---------  ---------- -----   ----\n');
    for (const one of members) {
      tool.print(`${number(one.size, 9)}  ${stampOf(tool, one)}   ${one.name}\n`);
    }
    tool.print(
      `---------                     -------\n${number(size, 9)}${' '.repeat(21)}${files}\n`,
    );
    return;
  }
  tool.print(
    ' Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n' +
      '--------  ------  ------- ---- ---------- ----- --------  ----\n',
  );
  for (const one of members) {
    const crc = one.crc.toString(16).padStart(8, '0');
    const kept = `${methodOf(one)} ${number(one.packed, 8)} ${saved(one.size, one.packed).padStart(4)}`;
    tool.print(`${number(one.size, 8)}  ${kept} ${stampOf(tool, one)} ${crc}  ${one.name}\n`);
  }
  const total = `${number(size, 8)}  ${number(packed, 15)} ${saved(size, packed).padStart(4)}`;
  tool.print(
    `--------          -------  ---                            -------\n${total}${' '.repeat(28)}${files}\n`,
  );
}

/** All words behind `-x` or `-i`, up to the next option, are patterns of it. */
function withLists(args: readonly string[]): string[] {
  const out: string[] = [];
  let list = '';
  for (const arg of args) {
    if (arg.startsWith('-') && arg !== '-') list = /^-[xi]$/.test(arg) ? arg : '';
    if (arg === list) continue;
    if (list !== '') out.push(list);
    out.push(arg);
  }
  return out;
}

/** The directory to unpack to, which is made if only it is missing. False after a message. */
async function directoryIsThere(tool: Tool, directory: string): Promise<boolean> {
  if (await tool.fs.exists(tool.path(directory))) return true;
  const made = await tool.attempt(
    `checkdir: cannot create extraction directory: ${directory}`,
    async () => {
      await tool.fs.mkdir(tool.path(directory));
      return true;
    },
    2,
  );
  return made === true;
}

/** A link that is made last, so that nothing is written through it. */
interface Link {
  target: string;
  shown: string;
  to: string;
}

async function link(tool: Tool, { target, shown, to }: Link, isQuiet: boolean): Promise<void> {
  await tool.attempt(shown, async () => {
    await tool.fs.symlink(to, tool.path(target));
    if (!isQuiet) tool.print(`  ${shown.padEnd(22)} -> ${to}\n`);
  });
}

async function extract(tool: Tool, member: Listed, options: Options, links: Link[]): Promise<void> {
  const name = options.has('j') ? baseOf(member.name) : member.name;
  if (options.has('j') && member.name.endsWith('/')) return;
  // A member may not climb out of the directory that it is unpacked to.
  if (name.startsWith('/') || name.split('/').includes('..')) {
    tool.fail(`skipped unsafe path ${member.name}`, 1);
    return;
  }
  const target = `${options.get('d') ?? '.'}/${name}`;
  const shown = options.has('d') ? target : name;
  await tool.attempt(shown, async () => {
    if (name.endsWith('/')) {
      await tool.fs.mkdir(tool.path(target), { recursive: true });
      if (!options.has('q')) tool.print(`   creating: ${shown}\n`);
      return;
    }
    if ((await tool.fs.exists(tool.path(target))) && !options.has('o')) {
      if (!options.has('n')) tool.fail(`${shown} exists: give -o to overwrite or -n to keep`, 1);
      return;
    }
    await tool.fs.mkdir(tool.path(dirOf(target)), { recursive: true });
    await tool.fs.rm(tool.path(target), { force: true });
    if (member.isLink) {
      const to = member.read().toString();
      if (!options.has('q')) tool.print(`    linking: ${shown.padEnd(22)}  -> ${to} \n`);
      links.push({ target, shown, to });
      return;
    }
    await tool.fs.writeFile(tool.path(target), member.read());
    if (member.mode !== 0) await tool.fs.chmod(tool.path(target), member.mode & 0o755);
    await tool.fs.utimes(tool.path(target), member.date, member.date);
    const verb = member.method === 0 ? ' extracting' : '  inflating';
    if (!options.has('q')) tool.print(`${verb}: ${shown.padEnd(22)}  \n`);
  });
}

/** Unpacks it, to nowhere: what is broken throws. */
function test(tool: Tool, member: Listed, options: Options): void {
  member.read();
  if (!options.has('q')) tool.print(`    testing: ${member.name.padEnd(22)}   OK\n`);
}

async function unzip(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'd:jlnopqtvx:Z1' }, withLists(tool.args));
  const [given, ...wanted] = options.operands;
  if (given === undefined) throw new UsageError('missing archive', { status: 10 });
  // The ending may be left out, as it may be for zip.
  const isThere = given === '-' || (await tool.fs.exists(tool.path(given)));
  const archive = isThere || given.endsWith('.zip') ? given : `${given}.zip`;
  if (!isThere && !(await tool.fs.exists(tool.path(archive)))) {
    tool.stderr += `unzip:  cannot find or open ${given}, ${given}.zip or ${given}.ZIP.\n`;
    tool.status = 9;
    return;
  }
  const content = await tool.tryRead(archive, 9, `cannot find or open ${archive}`);
  if (content === undefined) return;
  try {
    const matchers = wanted.map((name) => globMatcher(name));
    const excluded = options.all('x').map((name) => globMatcher(name));
    const members = list(toBuffer(content)).filter(
      ({ name }) =>
        (matchers.length === 0 || matchers.some((matches) => matches(name))) &&
        !excluded.some((matches) => matches(name)),
    );
    if (members.length === 0 && wanted.length > 0) {
      tool.stderr += `caution: filename not matched:  ${wanted[0]}\n`;
      tool.status = 11;
    }
    if (options.has('Z') || options.has('1')) {
      for (const { name } of members) tool.print(`${name}\n`);
      return;
    }
    if (options.has('l') || options.has('v')) {
      table(tool, members, { archive, isQuiet: options.has('q'), isFull: options.has('v') });
      return;
    }
    if (options.has('p')) {
      for (const member of members) tool.write(member.read().toString('latin1'));
      return;
    }
    if (!options.has('q')) tool.print(`Archive:  ${archive}\n`);
    if (!(await directoryIsThere(tool, options.get('d') ?? '.'))) return;
    const links: Link[] = [];
    for (const member of members) {
      await tool.pulse();
      if (options.has('t')) test(tool, member, options);
      else await extract(tool, member, options, links);
    }
    if (options.has('t')) tool.print(`No errors detected in compressed data of ${archive}.\n`);
    const isQuiet = options.has('q');
    if (links.length > 0 && !isQuiet) tool.print('finishing deferred symbolic links:\n');
    for (const one of links) await link(tool, one, isQuiet);
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    tool.fail(`[${archive}] ${error.message}`, 9);
  }
}

/** zip and unzip. */
export const zipShims: ShimFactory = (host) => [
  defineTool(
    host,
    { name: 'zip', usage: 'Usage: zip [-options] archive file...', usageStatus: 16 },
    zip,
  ),
  defineTool(
    host,
    { name: 'unzip', usage: 'Usage: unzip [-options] archive [member...]', usageStatus: 10 },
    unzip,
  ),
];
