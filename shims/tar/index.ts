/** tar. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { modeText } from '../support/files.ts';
import { UsageError } from '../support/getopt.ts';
import { strftime, zoned } from '../support/time.ts';
import { defineTool, errnoOf, splitLines, type Tool } from '../support/tool.ts';
import { pack, unpack } from './archive.ts';
import { Collector, listedNames } from './create.ts';
import { Extractor } from './extract.ts';
import { exclusions, Wanted } from './filters.ts';
import type { Header, Member } from './member.ts';
import { type TarCommand, tarCommand } from './options.ts';

const isStream = (archive: string): boolean => archive === '-' || archive === '/dev/stdin';

/** The names after `--transform`, each an expression of sed's. */
async function transformed(
  tool: Tool,
  command: TarCommand,
  names: readonly string[],
): Promise<readonly string[]> {
  const expressions = command.options.all('transform');
  if (expressions.length === 0 || names.length === 0) return names;
  // The flag x is sed's -E, for all of the expression; the others of tar's own say what is renamed.
  const isExtended = expressions.some((text) => /[^\w\s\\]\w*x\w*$/.test(text));
  const plain = expressions.map((text) =>
    text
      .replace(/^flags=[a-zA-Z]*;/, '')
      .replace(
        /([^\w\s\\])(\w*)$/,
        (_all, end: string, flags: string) => end + flags.replace(/[xrRsShH]/g, ''),
      ),
  );
  const words = [...(isExtended ? ['-E'] : []), ...plain.flatMap((text) => ['-e', text])];
  // The slash behind a directory is no part of its name.
  const bare = names.map((name) => name.replace(/(.)\/+$/, '$1'));
  const { stdout, stderr, exitCode } = await tool.spawn(['sed', ...words], `${bare.join('\n')}\n`);
  if (exitCode !== 0) throw new UsageError(`Invalid transform expression: ${stderr.trim()}`);
  return splitLines(Buffer.from(stdout, 'latin1').toString('utf8')).map((name, index) =>
    name !== '' && names[index] !== bare[index] ? `${name}/` : name,
  );
}

async function create(tool: Tool, command: TarCommand, archive: string): Promise<void> {
  const names = [...command.names, ...(await listedNames(tool, command))];
  if (names.length === 0 && !command.options.has('T')) {
    throw new UsageError('Cowardly refusing to create an empty archive');
  }
  const toStdout = isStream(archive);
  // Where stdout is the archive, names go to stderr.
  const print = (line: string): void => {
    if (toStdout) tool.stderr += `${line}\n`;
    else tool.print(`${line}\n`);
  };
  const collector = await Collector.of(
    tool,
    command,
    toStdout ? undefined : tool.path(archive),
    print,
  );
  const before = command.mode === 'create' ? [] : await existing(tool, command, archive);
  for (const named of names) await collector.add(named);
  const renamed = await transformed(
    tool,
    command,
    collector.members.map(({ header }) => header.name),
  );
  const added = collector.members.map((member, i) => ({
    ...member,
    header: { ...member.header, name: renamed[i] ?? member.header.name },
  }));
  const fresh =
    command.mode === 'update' ? added.filter((member) => isNewer(member, before)) : added;
  const bytes = await pack(tool, command.options, archive, [...before, ...fresh]);
  if (toStdout) tool.write(bytes.toString('latin1'));
  else
    await tool.attempt(
      `${archive}: Cannot open`,
      () => tool.fs.writeFile(tool.path(archive), bytes),
      2,
    );
  if (command.options.has('remove') && tool.status === 0) {
    for (const { path } of collector.taken)
      await tool.fs.rm(path, { recursive: true, force: true });
  }
}

function isNewer({ header }: Member, before: readonly Member[]): boolean {
  const last = before.findLast((member) => member.header.name === header.name);
  return (header.mtime?.getTime() ?? 0) > (last?.header.mtime?.getTime() ?? -1);
}

async function existing(tool: Tool, command: TarCommand, archive: string): Promise<Member[]> {
  try {
    return await unpack(tool, command.options, await tool.readBytes(archive));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' && command.mode !== 'delete') return [];
    throw error;
  }
}

/** The line of `tar -tv`: mode, owner, size, time and name, the size as far right as it fits. */
function longLine(
  tool: Tool,
  header: Header,
  name: string,
  isFull: boolean,
  isNumeric: boolean,
): string {
  const kind = header.type ?? 'file';
  const stat = {
    mode: (header.mode ?? 0) & 0o7777,
    isDirectory: kind === 'directory',
    isSymbolicLink: kind === 'symlink',
    isFile: kind === 'file',
    size: header.size,
    mtime: header.mtime ?? new Date(0),
  };
  const mode = kind === 'link' ? modeText(stat).replace('-', 'h') : modeText(stat);
  const owner = isNumeric || !header.uname ? String(header.uid ?? 0) : header.uname;
  const group = isNumeric || !header.gname ? String(header.gid ?? 0) : header.gname;
  const who = `${owner}/${group}`;
  const time = zoned(stat.mtime, tool.ctx.env.get('TZ'));
  const stamp = strftime(isFull ? '%Y-%m-%d %H:%M:%S' : '%Y-%m-%d %H:%M', time, stat.mtime);
  const size = String(header.size).padStart(Math.max(0, 18 - who.length));
  const link =
    kind === 'symlink'
      ? ` -> ${header.linkname}`
      : kind === 'link'
        ? ` link to ${header.linkname}`
        : '';
  return `${mode} ${who} ${size} ${stamp} ${name}${link}\n`;
}

async function readOut(tool: Tool, command: TarCommand, archive: string): Promise<void> {
  const { options } = command;
  const excluded = await exclusions(tool, options);
  const asked = [...command.names, ...(await listedNames(tool, command))].map(({ name }) => name);
  const wanted = new Wanted(asked, options.has('wildcards'));
  const data = await tool.attempt(`${archive}: Cannot open`, () => tool.readBytes(archive), 2);
  if (data === undefined) {
    tool.warn('Error is not recoverable: exiting now');
    return;
  }
  const all = await unpack(tool, options, data);
  const members = all.filter(({ header }) => wanted.has(header.name) && !excluded(header.name));
  const names = await transformed(
    tool,
    command,
    members.map(({ header }) => header.name),
  );
  const isListing = command.mode === 'list';
  const verbosity = options.all('v').length + (isListing ? 1 : 0);
  const extractor = new Extractor(tool, command);
  const isLong = verbosity > 1;
  for (const [i, member] of members.entries()) {
    await tool.pulse();
    const name = names[i] ?? member.header.name;
    const stored = options.has('shown') ? extractor.stripped(name) : member.header.name;
    if (stored === undefined) continue;
    // As tar does it: what is told is the name as it was, before the file is made.
    if (verbosity > 0) {
      const line = isLong
        ? longLine(tool, member.header, stored, options.has('full-time'), options.has('numeric'))
        : `${stored}\n`;
      if (options.has('O')) tool.stderr += line;
      else tool.print(line);
    }
    if (!isListing) await extractor.take(member, name);
  }
  if (!isListing) await extractor.finish();
  for (const name of wanted.missing) tool.fail(`${name}: Not found in archive`, 2);
  if (tool.status !== 0) tool.warn('Exiting with failure status due to previous errors');
}

async function remove(tool: Tool, command: TarCommand, archive: string): Promise<void> {
  const wanted = new Wanted(
    command.names.map(({ name }) => name),
    command.options.has('wildcards'),
  );
  const members = await existing(tool, command, archive);
  const kept = members.filter(({ header }) => !wanted.has(header.name));
  for (const name of wanted.missing) tool.fail(`${name}: Not found in archive`, 2);
  const bytes = await pack(tool, command.options, archive, kept);
  await tool.fs.writeFile(tool.path(archive), bytes);
}

/** Whether each directory of -C is there: else it is said, and nothing is done. */
async function hasDirectories(tool: Tool, { directory, names }: TarCommand): Promise<boolean> {
  for (const each of new Set([directory, ...names.map((one) => one.directory)])) {
    const found = await tool.attempt(
      `${each}: Cannot open`,
      () => tool.fs.stat(tool.path(each)),
      2,
    );
    if (found?.isDirectory === true) continue;
    if (found !== undefined) tool.fail(`${each}: Cannot open: Not a directory`, 2);
    tool.warn('Error is not recoverable: exiting now');
    return false;
  }
  return true;
}

async function tar(tool: Tool): Promise<undefined> {
  const command = tarCommand(tool.args);
  const archive = command.options.get('f') ?? '-';
  if (command.options.has('S') && /^(?:create|append|update)$/.test(command.mode)) {
    tool.warn('holes are no shorter here than other data: --sparse changes nothing');
  }
  if (!(await hasDirectories(tool, command))) return;
  if (command.mode === 'delete') await remove(tool, command, archive);
  else if (command.mode === 'list' || command.mode === 'extract')
    await readOut(tool, command, archive);
  else {
    await create(tool, command, archive);
    if (tool.status !== 0) tool.warn('Exiting with failure status due to previous errors');
  }
}

/** tar. */
export const tarShims: ShimFactory = (host) => [
  defineTool(host, { name: 'tar', usage: 'Usage: tar [OPTION...] [FILE]...', usageStatus: 2 }, tar),
];
