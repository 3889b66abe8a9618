/** df and mount: the mounts of a world, and the room that they have. */
import type { Capacity } from '../../src/mount/contract/contract.ts';
import type { MountedAt, ShimFactory, ShimHost } from '../../src/shell/command.ts';
import { humanSize } from '../support/files.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, parseSize, type Tool } from '../support/tool.ts';

/** Where the sizes of a table come from, and what its column is called. */
interface Unit {
  title: string;
  text(bytes: number): string;
}

function unitOf(options: Options): Unit {
  const key = options.seen.findLast(([one]) => ['h', 'H', 'k', 'm', 'B'].includes(one))?.[0];
  if (key === 'h') return { title: 'Size', text: (bytes) => humanSize(bytes) };
  if (key === 'H') return { title: 'Size', text: (bytes) => humanSize(bytes, 1000) };
  const text = key === 'm' ? '1M' : key === 'B' ? (options.get('B') ?? '1K') : '1K';
  const size = parseSize(/^\d/.test(text) ? text : `1${text}`);
  if (size === undefined || size === 0)
    throw new UsageError(`invalid -B argument '${text}'`, { hint: false });
  const title = options.has('P')
    ? `${size}-blocks`
    : `${/^\d/.test(text) ? text : `1${text}`}-blocks`;
  return { title, text: (bytes) => String(Math.ceil(bytes / size)) };
}

/** The mount that a path lies in, links followed. */
async function mountOf(
  tool: Tool,
  mounts: readonly MountedAt[],
  name: string,
): Promise<MountedAt | undefined> {
  const path = await tool.attempt(name, () => tool.fs.realpath(tool.path(name)));
  if (path === undefined) return undefined;
  return mounts
    .filter(({ point }) => path === point || path.startsWith(point === '/' ? '/' : `${point}/`))
    .reduce<MountedAt | undefined>(
      (best, one) => (best === undefined || one.point.length > best.point.length ? one : best),
      undefined,
    );
}

const percent = ({ used, free }: Capacity): string =>
  used + free === 0 ? '-' : `${Math.ceil((used * 100) / (used + free))}%`;

/** How wide columns are at least, by title. */
const LEAST: Readonly<Record<string, number>> = {
  Filesystem: 14,
  Type: 4,
  'Use%': 4,
  'Mounted on': 0,
};

/** Columns as wide as what is in them: the first to the left, numbers to the right. */
function table(
  rows: readonly (readonly string[])[],
  left: ReadonlySet<number>,
  least: readonly number[],
): string {
  const widths = (rows[0] ?? []).map((_, i) =>
    Math.max(least[i] ?? 0, ...rows.map((row) => (row[i] ?? '').length)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (left.has(i) ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join(' ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

/** What the row of `--total` is told as. */
const TOTAL: MountedAt = { point: '-', kind: 'total', mode: 'ro', capacity: () => null };

function sumOf(rooms: readonly (Capacity | null)[]): Capacity {
  const sum = { total: 0, used: 0, free: 0 };
  for (const room of rooms) {
    sum.total += room?.total ?? 0;
    sum.used += room?.used ?? 0;
    sum.free += room?.free ?? 0;
  }
  return sum;
}

type Column = [title: string, text: (mount: MountedAt, room: Capacity | null) => string];

function columnsOf(options: Options, unit: Unit): Column[] {
  const size = (pick: (room: Capacity) => number) => (_mount: MountedAt, room: Capacity | null) =>
    room === null ? '-' : unit.text(pick(room));
  const all: Record<string, Column> = {
    source: ['Filesystem', ({ kind }) => kind],
    fstype: ['Type', (mount) => (mount === TOTAL ? '-' : mount.kind)],
    size: [unit.title, size(({ total }) => total)],
    used: ['Used', size(({ used }) => used)],
    avail: [unit.title === 'Size' ? 'Avail' : 'Available', size(({ free }) => free)],
    pcent: [
      options.has('P') ? 'Capacity' : 'Use%',
      (_mount, room) => (room === null ? '-' : percent(room)),
    ],
    target: ['Mounted on', ({ point }) => point],
  };
  const chosen = options.get('output');
  if (options.has('output') && chosen !== '' && chosen !== undefined) {
    return chosen.split(',').map((name) => {
      const column = Object.hasOwn(all, name) ? all[name] : undefined;
      if (column === undefined) throw new UsageError(`option --output: field '${name}' unknown`);
      return column;
    });
  }
  const names = [
    'source',
    ...(options.has('T') ? ['fstype'] : []),
    'size',
    'used',
    'avail',
    'pcent',
    'target',
  ];
  return names.map((name) => all[name] as Column);
}

const df =
  (host: ShimHost) =>
  async (tool: Tool): Promise<undefined> => {
    const options = tool.options({
      short: 'aB:hHiklmPt:Tx:',
      long: {
        all: 'a',
        'block-size': 'B:',
        'exclude-type': 'x:',
        'human-readable': 'h',
        inodes: 'i',
        local: 'l',
        output: 'output::',
        portability: 'P',
        'print-type': 'T',
        si: 'H',
        total: 'total',
        type: 't:',
      },
    });
    if (options.has('i'))
      throw new UsageError('mounts have no inodes to count here', { hint: false });
    const unit = unitOf(options);
    const columns = columnsOf(options, unit);
    const mounts = host.mounts?.() ?? [];
    let shown = [...mounts];
    if (options.operands.length > 0) {
      shown = [];
      for (const name of options.operands) {
        const found = await mountOf(tool, mounts, name);
        if (found !== undefined) shown.push(found);
      }
      if (shown.length === 0) return;
    }
    if (options.has('t')) shown = shown.filter(({ kind }) => options.all('t').includes(kind));
    shown = shown.filter(({ kind }) => !options.all('x').includes(kind));
    // What has no room to speak of is left out, unless it is asked for.
    if (!options.has('a') && options.operands.length === 0)
      shown = shown.filter((one) => one.capacity() !== null);
    if (shown.length === 0) throw new UsageError('no file systems processed', { hint: false });
    const rooms = shown.map((mount) => mount.capacity());
    const rows = shown.map((mount, i) => columns.map(([, text]) => text(mount, rooms[i] ?? null)));
    if (options.has('total')) rows.push(columns.map(([, text]) => text(TOTAL, sumOf(rooms))));
    const left = new Set(
      columns.flatMap(([title], i) => (/^(?:Filesystem|Type|Mounted on)$/.test(title) ? [i] : [])),
    );
    const titles = columns.map(([title]) => title);
    const least = titles.map((title) => LEAST[title] ?? 5);
    tool.print(table([titles, ...rows], left, least));
  };

const mount =
  (host: ShimHost) =>
  async (tool: Tool): Promise<undefined> => {
    const options = tool.options({ short: 'hlt:va', long: { types: 't:' } });
    if (options.operands.length > 0)
      throw new UsageError("mounts are the deployer's: they are named in dirigent.config.ts", {
        hint: false,
      });
    for (const { point, kind, mode } of host.mounts?.() ?? []) {
      if (options.has('t') && options.get('t') !== kind) continue;
      tool.print(`${kind} on ${point} type ${kind} (${mode})\n`);
    }
  };

/** df, mount. */
export const dfShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'df',
      usage: `Usage: df [OPTION]... [FILE]...\nShow the room of the mounts, or of those in which the FILEs are; - where nobody can tell.

  -a, --all   -h, --human-readable   -H, --si   -B, --block-size=SIZE   -k   -m
  --total   -T, --print-type   -t, --type=TYPE   -x, --exclude-type=TYPE   -P, --portability
      --output=source,fstype,size,used,avail,pcent,target`,
    },
    df(host),
  ),
  defineTool(
    host,
    { name: 'mount', usage: 'Usage: mount [-l] [-t TYPE]\nList the mounts, with their modes.' },
    mount(host),
  ),
];
