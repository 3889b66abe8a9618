/** zip and unzip. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Listed, list, type Member, pack, ZipError } from '../../src/zip.ts';
import { baseOf, dirOf } from '../basename/index.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { globMatcher } from '../support/glob.ts';
import { defineTool, errnoOf, type Tool, toBuffer } from '../support/tool.ts';

async function collect(
  tool: Tool,
  name: string,
  options: Options,
  out: Map<string, Member>,
): Promise<void> {
  await tool.pulse();
  const path = tool.path(name);
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
      if (!options.has('q')) tool.print(`${known ? 'updating' : '  adding'}: ${stored}\n`);
      return;
    }
    if (!options.has('j') && !options.has('D') && stored !== '' && stored !== '.') {
      const entry = {
        name: `${stored}/`,
        data: Buffer.alloc(0),
        date: stat.mtime,
        mode: stat.mode & 0o777,
      };
      out.set(entry.name, entry);
      if (!options.has('q')) tool.print(`  adding: ${entry.name}\n`);
    }
    if (!options.has('r')) return;
    for (const entry of await tool.fs.readdirWithFileTypes(path)) {
      await collect(tool, `${name.replace(/\/+$/, '')}/${entry.name}`, options, out);
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
  const options = tool.options({
    short: '0123456789rjqDdx:i:uXy',
    long: {
      symlinks: 'y',
      'recurse-paths': 'r',
      'junk-paths': 'j',
      quiet: 'q',
      exclude: 'x:',
      delete: 'd',
    },
  });
  const [given, ...names] = options.operands;
  if (given === undefined) throw new UsageError('nothing to do', { status: 16 });
  const archive = /\.[^/.]+$/.test(given) ? given : `${given}.zip`;
  const members = await existing(tool, archive);
  if (options.has('d')) {
    const matchers = names.map((name) => globMatcher(name));
    for (const name of [...members.keys()]) {
      if (!matchers.some((matches) => matches(name))) continue;
      members.delete(name);
      if (!options.has('q')) tool.print(`deleting: ${name}\n`);
    }
  } else for (const name of names) await collect(tool, name, options, members);
  const excluded = options.all('x').map((pattern) => globMatcher(pattern));
  const kept = [...members.values()].filter(
    ({ name }) => !excluded.some((matches) => matches(name)),
  );
  if (kept.length === 0) {
    tool.fail(`error: Nothing to do! (${archive})`, 12);
    return;
  }
  const level = Number(options.seen.filter(([key]) => /^\d$/.test(key)).at(-1)?.[0] ?? 6);
  await tool.attempt(archive, () => tool.save(archive, pack(kept, level).toString('latin1')), 15);
  if (tool.status === 1) tool.status = 18;
}

function table(tool: Tool, archive: string, members: readonly Listed[]): void {
  tool.print(
    `Archive:  ${archive}\n  Length      Date    Time    Name\n---------  ---------- -----   ----\n`,
  );
  let total = 0;
  for (const { name, size, date } of members) {
    const stamp = date.toISOString().slice(0, 16).replace('T', ' ');
    tool.print(`${String(size).padStart(9)}  ${stamp}   ${name}\n`);
    total += size;
  }
  const files = members.length === 1 ? 'file' : 'files';
  tool.print(
    `---------                     -------\n${String(total).padStart(9)}                     ${members.length} ${files}\n`,
  );
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
    if (!isQuiet) tool.print(`    linking: ${shown}  -> ${to} \n`);
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
    if (member.isLink) return links.push({ target, shown, to: member.read().toString() });
    await tool.fs.writeFile(tool.path(target), member.read());
    if (member.mode !== 0) await tool.fs.chmod(tool.path(target), member.mode & 0o755);
    await tool.fs.utimes(tool.path(target), member.date, member.date);
    const verb = member.method === 0 ? ' extracting' : '  inflating';
    if (!options.has('q')) tool.print(`${verb}: ${shown}  \n`);
  });
}

async function unzip(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'd:jlnopqtvx:Z1' });
  const [given, ...wanted] = options.operands;
  if (given === undefined) throw new UsageError('missing archive', { status: 10 });
  // The ending may be left out, as it may be for zip.
  const isThere = given === '-' || (await tool.fs.exists(tool.path(given)));
  const archive = isThere || given.endsWith('.zip') ? given : `${given}.zip`;
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
    if (members.length === 0 && wanted.length > 0)
      tool.fail(`caution: filename not matched:  ${wanted[0]}`, 11);
    if (options.has('Z') || options.has('1')) {
      for (const { name } of members) tool.print(`${name}\n`);
      return;
    }
    if (options.has('l') || options.has('v')) return table(tool, archive, members) as undefined;
    if (options.has('p')) {
      for (const member of members) tool.write(member.read().toString('latin1'));
      return;
    }
    if (!options.has('q')) tool.print(`Archive:  ${archive}\n`);
    const links: Link[] = [];
    for (const member of members) {
      await tool.pulse();
      if (options.has('t'))
        tool.print(`    testing: ${member.name.padEnd(22)}   ${member.read() ? 'OK' : ''}\n`);
      else await extract(tool, member, options, links);
    }
    for (const one of links) await link(tool, one, options.has('q'));
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
