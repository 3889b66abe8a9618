/** The tests of find that look at an entry and do nothing. */
import type { FsStat } from 'just-bash';
import { parseDate } from '../support/date-text.ts';
import { inodeOf, OWNER, OWNER_ID, sameFile, sizeOf } from '../support/files.ts';
import { UsageError } from '../support/getopt.ts';
import { globMatcher } from '../support/glob.ts';
import { type ModeRule, parseMode } from '../support/mode.ts';
import type { Syntax } from '../support/regex.ts';
import { errnoOf, type Tool } from '../support/tool.ts';
import { wholeMatcher } from '../support/whole-match.ts';
import { kindOf, type Links, statOf } from './entry.ts';
import type { Test, Words } from './expression.ts';

const DAY = 86_400_000;

/** What tests share over one run. */
export interface TestContext {
  tool: Tool;
  now: number;
  /** -daystart has been met. */
  daystart: boolean;
  syntax: Syntax;
  /** The files that tests compare with are looked at as those on the command line are. */
  links: Links;
  /** What is looked at before the walk begins: without its file there is no walk. */
  beforehand: Array<{ file: string; look: () => Promise<void> }>;
}

/** `+N`, `-N` or `N` as a comparison. */
function numeric(text: string, test: string): (value: number) => boolean {
  const match = /^([+-]?)(\d+(?:\.\d+)?)$/.exec(text);
  if (match === null) {
    throw new UsageError(`invalid argument \`${text}' to \`${test}'`, { hint: false });
  }
  const wanted = Number(match[2]);
  if (match[1] === '+') return (value) => value > wanted;
  if (match[1] === '-') return (value) => value < wanted;
  return (value) => value === wanted;
}

const onStat =
  (check: (stat: FsStat) => boolean): Test =>
  async (entry) =>
    check(await entry.stat());

function size(text: string): Test {
  const match = /^([+-]?\d+)([cwbkMG]?)$/.exec(text);
  if (match === null) {
    throw new UsageError(`invalid -size argument \`${text}'`, { hint: false });
  }
  const units: Readonly<Record<string, number>> = {
    c: 1,
    w: 2,
    b: 512,
    k: 1024,
    M: 1024 ** 2,
    G: 1024 ** 3,
  };
  const unit = units[match[2] || 'b'] ?? 512;
  const matches = numeric(match[1] ?? '', '-size');
  return onStat((stat) => matches(Math.ceil(sizeOf(stat) / unit)));
}

function age(context: TestContext, text: string, unit: number, name: string): Test {
  const matches = numeric(text, name);
  return onStat((stat) => {
    const day = Math.floor(context.now / DAY + 1) * DAY;
    const now = context.daystart ? day : context.now;
    return matches(Math.floor((now - stat.mtime.getTime()) / unit));
  });
}

function type(text: string): Test {
  const kinds = text.split(',');
  const bad = kinds.find((kind) => !/^[fdlbcps]$/.test(kind));
  if (bad !== undefined) {
    throw new UsageError(`Unknown argument to -type: ${bad}`, { hint: false });
  }
  const [only] = kinds;
  return kinds.length === 1
    ? (entry) => entry.kind === only
    : (entry) => kinds.includes(entry.kind);
}

function lookAt({ tool, links }: TestContext, file: string): Promise<FsStat> {
  return statOf(tool, tool.path(file), links !== 'P');
}

function newer(context: TestContext, name: string, argument: string): Test {
  if (name.endsWith('t') && name !== '-newer') {
    const date = parseDate(argument, new Date(context.now), context.tool.ctx.env.get('TZ'));
    if (date === undefined) {
      throw new UsageError(`I cannot figure out how to interpret '${argument}' as a date or time`, {
        hint: false,
      });
    }
    return onStat((stat) => stat.mtime.getTime() > date.getTime());
  }
  let since = 0;
  context.beforehand.push({
    file: argument,
    look: async () => {
      since = (await lookAt(context, argument)).mtime.getTime();
    },
  });
  return onStat((stat) => stat.mtime.getTime() > since);
}

function permission(text: string): Test {
  const kind = /^[-/]/.exec(text)?.[0] ?? '';
  const rule: ModeRule | undefined = parseMode(text.slice(kind.length));
  if (rule === undefined) throw new UsageError(`invalid mode '${text}'`, { hint: false });
  const wanted = rule(0, false);
  return onStat((stat) => {
    const mode = stat.mode & 0o7777;
    if (kind === '-') return (mode & wanted) === wanted;
    if (kind === '/') return wanted === 0 || (mode & wanted) !== 0;
    return mode === wanted;
  });
}

function owner(text: string, test: string): Test {
  if (/^[+-]?\d+$/.test(text)) {
    const matches = numeric(text, test);
    return () => matches(OWNER_ID);
  }
  if (text !== OWNER && text !== 'root') {
    const what = test === '-user' ? 'user' : 'group';
    throw new UsageError(`'${text}' is not the name of a known ${what}`, { hint: false });
  }
  return () => text === OWNER;
}

function empty(context: TestContext): Test {
  return async (entry) => {
    if (entry.kind === 'f') return (await entry.stat()).size === 0;
    if (entry.kind !== 'd') return false;
    return (await context.tool.fs.readdirWithFileTypes(entry.path)).length === 0;
  };
}

function sameAs(context: TestContext, argument: string): Test {
  const path = context.tool.path(argument);
  let other: FsStat | undefined;
  context.beforehand.push({
    file: argument,
    look: async () => {
      other = await lookAt(context, argument);
    },
  });
  return async (entry) => (other && sameFile(await entry.stat(), other)) ?? entry.path === path;
}

function regex(context: TestContext, pattern: string, ignoreCase: boolean): Test {
  const matches = wholeMatcher(pattern, context.syntax, ignoreCase);
  return (entry) => matches(entry.shown);
}

function linkName(context: TestContext, pattern: string, ignoreCase: boolean): Test {
  const matches = globMatcher(pattern, ignoreCase);
  return async (entry) => entry.kind === 'l' && matches(await context.tool.fs.readlink(entry.path));
}

function otherType(context: TestContext, text: string): Test {
  return async (entry) => {
    // Where links are followed, the other type is the link's own.
    const stat = await statOf(context.tool, entry.path, context.links !== 'L');
    return text.split(',').includes(kindOf(stat));
  };
}

/** Tests by the text of an entry's name, made once. */
function byName(name: string, argument: string): Test | undefined {
  const fold = name.startsWith('-i');
  const matches = globMatcher(argument, fold);
  if (name === '-name' || name === '-iname') return (entry) => matches(entry.name);
  if (/^-i?(?:path|wholename)$/.test(name)) return (entry) => matches(entry.shown);
  return undefined;
}

const NAME_TESTS = /^-i?(?:name|path|wholename)$/;
const AGES: Readonly<Record<string, number>> = {
  '-mtime': DAY,
  '-atime': DAY,
  '-ctime': DAY,
  '-mmin': 60_000,
  '-amin': 60_000,
  '-cmin': 60_000,
};

/** As `test -r` and its like answer in the shell, whose attributes say what would come of it; of a link that leads nowhere nothing would. */
function allowed({ tool }: TestContext, bits: number): Test {
  return async (entry) => {
    try {
      return ((await tool.ctx.fs.stat(entry.path)).mode & bits) !== 0;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  };
}

/** What asks when a file was last read. */
const ACCESSED = /^-(?:a(?:time|min|newer)|newer(?:a.|.a))$/;

/** Makes a test by its name; undefined when there is none of that name. */
export function makeTest(name: string, words: Words, context: TestContext): Test | undefined {
  if (ACCESSED.test(name)) {
    context.tool.warn(`there are no times of access here: ${name} goes by the last change`);
  }
  if (NAME_TESTS.test(name)) return byName(name, words.argument(name));
  if (/^-newer(?:[aBcm][aBcmt])?$/.test(name)) return newer(context, name, words.argument(name));
  if (name === '-anewer' || name === '-cnewer')
    return newer(context, '-newer', words.argument(name));
  const unit = AGES[name];
  if (unit !== undefined) return age(context, words.argument(name), unit, name);
  switch (name) {
    case '-true':
      return () => true;
    case '-false':
    case '-nouser':
    case '-nogroup':
      return () => false;
    case '-type':
      return type(words.argument(name));
    case '-xtype':
      return otherType(context, words.argument(name));
    case '-size':
      return size(words.argument(name));
    case '-empty':
      return empty(context);
    case '-perm':
      return permission(words.argument(name));
    case '-user':
    case '-group':
    case '-uid':
    case '-gid':
      return owner(words.argument(name), name);
    case '-links': {
      const matches = numeric(words.argument(name), name);
      return onStat((stat) => matches(stat.isDirectory ? 2 : 1));
    }
    case '-inum': {
      const matches = numeric(words.argument(name), name);
      return onStat((stat) => matches(inodeOf(stat)));
    }
    case '-samefile':
      return sameAs(context, words.argument(name));
    case '-regex':
    case '-iregex':
      return regex(context, words.argument(name), name === '-iregex');
    case '-lname':
    case '-ilname':
      return linkName(context, words.argument(name), name === '-ilname');
    case '-readable':
      return allowed(context, 0o444);
    case '-writable':
      return allowed(context, 0o222);
    case '-executable':
      return allowed(context, 0o111);
    default:
      return undefined;
  }
}
