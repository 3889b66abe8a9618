/** mktemp. */
import { randomInt } from 'node:crypto';
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, errnoOf, type Tool } from '../support/tool.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const ATTEMPTS = 100;

function split(
  template: string,
  suffix: string | undefined,
): { head: string; xs: number; tail: string } {
  const match =
    suffix === undefined ? /^(.*?)(X+)([^X/]*)$/s.exec(template) : /^(.*?)(X+)$/s.exec(template);
  if (suffix !== undefined && match === null) {
    throw new UsageError(`with --suffix, template '${template}' must end in X`, { hint: false });
  }
  if (suffix?.includes('/') === true) {
    throw new UsageError(`invalid suffix '${suffix}', contains directory separator`, {
      hint: false,
    });
  }
  const xs = match?.[2]?.length ?? 0;
  if (xs < 3) throw new UsageError(`too few X's in template '${template}'`, { hint: false });
  return { head: match?.[1] ?? '', xs, tail: suffix ?? match?.[3] ?? '' };
}

function directory(tool: Tool, options: Options, given: boolean): string {
  const tmpdir = tool.ctx.env.get('TMPDIR') || '/tmp';
  if (options.has('p')) return options.get('p') || tmpdir;
  return options.has('t') || !given ? tmpdir : '';
}

async function create(tool: Tool, path: string, options: Options): Promise<void> {
  const full = tool.path(path);
  if (options.has('d')) {
    await tool.fs.mkdir(full);
    await tool.fs.chmod(full, 0o700);
    return;
  }
  await tool.fs.writeFile(full, '');
  await tool.fs.chmod(full, 0o600);
}

async function taken(tool: Tool, path: string): Promise<boolean> {
  try {
    await tool.fs.lstat(tool.path(path));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function mktemp(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'dup:qt',
    long: { directory: 'd', 'dry-run': 'u', tmpdir: 'p::', quiet: 'q', suffix: 'suffix:' },
  });
  if (options.operands.length > 1) throw new UsageError('too many templates');
  const given = options.operands[0];
  const template = given ?? 'tmp.XXXXXXXXXX';
  const { head, xs, tail } = split(template, options.get('suffix'));
  const dir = directory(tool, options, given !== undefined);
  if (dir !== '' && template.startsWith('/')) {
    throw new UsageError(`invalid template, '${template}'; with --tmpdir, it may not be absolute`, {
      hint: false,
    });
  }
  if (options.has('t') && template.includes('/')) {
    throw new UsageError(`invalid template, '${template}', contains directory separator`, {
      hint: false,
    });
  }
  const what = options.has('d') ? 'directory' : 'file';
  const base = dir === '' ? '' : `${dir.replace(/\/+$/, '')}/`;
  await tool.attempt(`failed to create ${what} via template '${base}${template}'`, async () => {
    for (let i = 0; i < ATTEMPTS; i++) {
      const random = Array.from({ length: xs }, () => LETTERS[randomInt(LETTERS.length)]).join('');
      const path = `${base}${head}${random}${tail}`;
      if (await taken(tool, path)) continue;
      if (!options.has('u')) await create(tool, path, options);
      tool.print(`${path}\n`);
      return;
    }
    tool.fail(`failed to create ${what} via template '${base}${template}': File exists`);
  });
  if (options.has('q')) tool.stderr = '';
}

/** mktemp. */
export const mktempShims: ShimFactory = (host) => [
  defineTool(host, { name: 'mktemp', usage: 'Usage: mktemp [OPTION]... [TEMPLATE]' }, mktemp),
];
