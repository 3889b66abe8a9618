/**
 * Every shim: the commands that replace or add to just-bash's own. Each is
 * loaded when it first runs: all of them are half of what a world would load.
 */
import { type Command, DefenseInDepthBox, defineCommand } from 'just-bash';
import type { Programs, ShimFactory, ShimHost } from '../src/shell/command.ts';

/** The commands of a folder, and what makes them. */
export interface Shim {
  names: readonly string[];
  load(): Promise<ShimFactory>;
  /** Which program of the config it belongs to: without that there is none. */
  program?: keyof Programs;
  /** May the shell carry out what is plain of them by itself, as it does for loops? */
  plain?: boolean;
}

/** All shims, by folder. */
export const shims: readonly Shim[] = [
  { names: ['awk', 'gawk'], load: async () => (await import('./awk/index.ts')).awkShims },
  {
    names: ['basename', 'dirname'],
    load: async () => (await import('./basename/index.ts')).basenameShims,
  },
  { names: ['bc'], load: async () => (await import('./bc/index.ts')).bcShims },
  { names: ['cat'], load: async () => (await import('./cat/index.ts')).catShims },
  { names: ['chmod'], load: async () => (await import('./chmod/index.ts')).chmodShims },
  { names: ['cmp'], load: async () => (await import('./cmp/index.ts')).cmpShims },
  { names: ['comm'], load: async () => (await import('./comm/index.ts')).commShims },
  { names: ['cp', 'mv', 'install'], load: async () => (await import('./cp/index.ts')).cpShims },
  { names: ['cut'], load: async () => (await import('./cut/index.ts')).cutShims },
  { names: ['date'], load: async () => (await import('./date/index.ts')).dateShims },
  { names: ['diff'], load: async () => (await import('./diff/index.ts')).diffShims },
  { names: ['du'], load: async () => (await import('./du/index.ts')).duShims },
  { names: ['env', 'printenv'], load: async () => (await import('./env/index.ts')).envShims },
  { names: ['edit'], load: async () => (await import('./edit/index.ts')).editShims },
  {
    names: ['expand', 'unexpand'],
    load: async () => (await import('./expand/index.ts')).expandShims,
  },
  { names: ['expr'], load: async () => (await import('./expr/index.ts')).exprShims },
  { names: ['file'], load: async () => (await import('./file/index.ts')).fileShims },
  { names: ['find'], load: async () => (await import('./find/index.ts')).findShims },
  { names: ['fold'], load: async () => (await import('./fold/index.ts')).foldShims },
  { names: ['git'], load: async () => (await import('./git/index.ts')).gitShims },
  {
    names: ['grep', 'egrep', 'fgrep', 'rg'],
    load: async () => (await import('./grep/index.ts')).grepShims,
  },
  {
    names: ['gzip', 'gunzip', 'zcat'],
    load: async () => (await import('./gzip/index.ts')).gzipShims,
  },
  { names: ['head', 'tail'], load: async () => (await import('./head/index.ts')).headShims },
  { names: ['iconv'], load: async () => (await import('./iconv/index.ts')).iconvShims },
  { names: ['index'], load: async () => (await import('./index-cmd/index.ts')).indexShims },
  { names: ['join'], load: async () => (await import('./join/index.ts')).joinShims },
  { names: ['jq'], load: async () => (await import('./jq/index.ts')).jqShims },
  { names: ['less', 'more'], load: async () => (await import('./less/index.ts')).lessShims },
  { names: ['ln'], load: async () => (await import('./ln/index.ts')).lnShims },
  { names: ['look'], load: async () => (await import('./look/index.ts')).lookShims },
  { names: ['ls'], load: async () => (await import('./ls/index.ts')).lsShims },
  { names: ['mkdir'], load: async () => (await import('./mkdir/index.ts')).mkdirShims },
  { names: ['mktemp'], load: async () => (await import('./mktemp/index.ts')).mktempShims },
  { names: ['nl'], load: async () => (await import('./nl/index.ts')).nlShims },
  { names: ['od'], load: async () => (await import('./od/index.ts')).odShims },
  { names: ['paste'], load: async () => (await import('./paste/index.ts')).pasteShims },
  { names: ['patch'], load: async () => (await import('./patch/index.ts')).patchShims },
  {
    names: ['printf'],
    load: async () => (await import('./printf/index.ts')).printfShims,
    plain: true,
  },
  {
    names: ['python3', 'python'],
    load: async () => (await import('./python/index.ts')).pythonShims,
    program: 'python',
  },
  {
    names: ['realpath', 'readlink'],
    load: async () => (await import('./realpath/index.ts')).realpathShims,
  },
  { names: ['rev'], load: async () => (await import('./rev/index.ts')).revShims },
  { names: ['rm', 'rmdir', 'unlink'], load: async () => (await import('./rm/index.ts')).rmShims },
  {
    names: ['run'],
    load: async () => (await import('./run/index.ts')).runShims,
    program: 'host',
  },
  { names: ['search'], load: async () => (await import('./search/index.ts')).searchShims },
  { names: ['sed'], load: async () => (await import('./sed/index.ts')).sedShims },
  { names: ['seq'], load: async () => (await import('./seq/index.ts')).seqShims },
  { names: ['shuf'], load: async () => (await import('./shuf/index.ts')).shufShims },
  { names: ['sort'], load: async () => (await import('./sort/index.ts')).sortShims },
  {
    names: ['sqlite3'],
    load: async () => (await import('./sqlite3/index.ts')).sqlite3Shims,
  },
  { names: ['stat', 'truncate'], load: async () => (await import('./stat/index.ts')).statShims },
  { names: ['tac'], load: async () => (await import('./tac/index.ts')).tacShims },
  { names: ['tar'], load: async () => (await import('./tar/index.ts')).tarShims },
  { names: ['tee'], load: async () => (await import('./tee/index.ts')).teeShims },
  { names: ['timeout'], load: async () => (await import('./timeout/index.ts')).timeoutShims },
  { names: ['tool'], load: async () => (await import('./tool/index.ts')).toolShims },
  { names: ['touch'], load: async () => (await import('./touch/index.ts')).touchShims },
  { names: ['tr'], load: async () => (await import('./tr/index.ts')).trShims },
  { names: ['tree'], load: async () => (await import('./tree/index.ts')).treeShims },
  { names: ['uniq'], load: async () => (await import('./uniq/index.ts')).uniqShims },
  { names: ['wc'], load: async () => (await import('./wc/index.ts')).wcShims },
  { names: ['xargs'], load: async () => (await import('./xargs/index.ts')).xargsShims },
  { names: ['xxd'], load: async () => (await import('./xxd/index.ts')).xxdShims },
  { names: ['yes', 'nproc'], load: async () => (await import('./yes/index.ts')).yesShims },
  {
    names: ['zgrep', 'zegrep', 'zfgrep'],
    load: async () => (await import('./zgrep/index.ts')).zgrepShims,
  },
  { names: ['zip', 'unzip'], load: async () => (await import('./zip/index.ts')).zipShims },
  {
    names: [
      'cksum',
      'sum',
      'md5sum',
      'sha1sum',
      'sha224sum',
      'sha256sum',
      'sha384sum',
      'sha512sum',
      'b2sum',
    ],
    load: async () => (await import('./cksum/index.ts')).cksumShims,
  },
  {
    names: ['base64', 'base32', 'basenc'],
    load: async () => (await import('./basenc/index.ts')).basencShims,
  },
  { names: ['dd'], load: async () => (await import('./dd/index.ts')).ddShims },
  { names: ['hexdump', 'hd'], load: async () => (await import('./hexdump/index.ts')).hexdumpShims },
  {
    names: ['node', 'nodejs', 'js-exec'],
    load: async () => (await import('./node/index.ts')).nodeShims,
    program: 'node',
  },
  { names: ['numfmt'], load: async () => (await import('./numfmt/index.ts')).numfmtShims },
  { names: ['tsort'], load: async () => (await import('./tsort/index.ts')).tsortShims },
  { names: ['factor'], load: async () => (await import('./factor/index.ts')).factorShims },
  { names: ['envsubst'], load: async () => (await import('./envsubst/index.ts')).envsubstShims },
  { names: ['split', 'csplit'], load: async () => (await import('./split/index.ts')).splitShims },
  { names: ['fmt'], load: async () => (await import('./fmt/index.ts')).fmtShims },
  { names: ['getopt'], load: async () => (await import('./getopt/index.ts')).getoptShims },
  { names: ['rename'], load: async () => (await import('./rename/index.ts')).renameShims },
  { names: ['tput', 'reset'], load: async () => (await import('./tput/index.ts')).tputShims },
  {
    names: ['nice', 'stdbuf', 'nohup', 'setsid', 'ionice', 'unbuffer', 'flock', 'watch'],
    load: async () => (await import('./nice/index.ts')).niceShims,
  },
  {
    names: ['sponge', 'ts', 'ifne', 'pee', 'chronic', 'combine', 'vipe', 'mispipe', 'isutf8'],
    load: async () => (await import('./sponge/index.ts')).spongeShims,
  },
  { names: ['cal', 'ncal'], load: async () => (await import('./cal/index.ts')).calShims },
  { names: ['parallel'], load: async () => (await import('./parallel/index.ts')).parallelShims },
  { names: ['fd', 'fdfind'], load: async () => (await import('./fd/index.ts')).fdShims },
  { names: ['bat', 'batcat'], load: async () => (await import('./bat/index.ts')).batShims },
  {
    names: ['id', 'groups', 'whoami', 'logname', 'who', 'users'],
    load: async () => (await import('./id/index.ts')).idShims,
  },
  {
    names: ['uname', 'arch', 'hostname', 'tty', 'getconf', 'sync', 'locale'],
    load: async () => (await import('./uname/index.ts')).unameShims,
  },
  { names: ['df', 'mount'], load: async () => (await import('./df/index.ts')).dfShims },
  {
    names: ['ps', 'pgrep', 'pkill', 'killall', 'pidof'],
    load: async () => (await import('./ps/index.ts')).psShims,
  },
  {
    names: ['man', 'whatis', 'apropos', 'whereis'],
    load: async () => (await import('./man/index.ts')).manShims,
  },
  {
    names: [
      'uuidgen',
      'mcookie',
      'dos2unix',
      'unix2dos',
      'colrm',
      'link',
      'shred',
      'pathchk',
      'chown',
      'chgrp',
      'dir',
      'vdir',
      'openssl',
    ],
    load: async () => (await import('./uuidgen/index.ts')).uuidgenShims,
  },
  {
    names: ['bzip2', 'bunzip2', 'bzcat', 'xz', 'unxz', 'xzcat', 'zstd', 'unzstd', 'zstdcat'],
    load: async () => (await import('./xz/index.ts')).xzShims,
  },
  { names: ['curl', 'wget'], load: async () => (await import('./curl/index.ts')).curlShims },
  { names: ['dc'], load: async () => (await import('./dc/index.ts')).dcShims },
  { names: ['ed'], load: async () => (await import('./ed/index.ts')).edShims },
  { names: ['pr'], load: async () => (await import('./pr/index.ts')).prShims },
];

/** What agents run most, in the order in which it is worth having it at hand. */
const COMMONEST = ['grep', 'ls', 'cat', 'find', 'sed', 'head'];

/** The commands of all shims for one world. */
export interface Shims {
  commands: Command[];
  /** The names of those whose plain uses the shell may carry out by itself. */
  plain: ReadonlySet<string>;
  /** Each loads one of the commonest commands, before it is run. */
  ahead: readonly (() => Promise<unknown>)[];
}

/** Which commands a world has beside those that every world has. */
export interface ShimChoice {
  /** The programs that it has. */
  programs?: Programs | undefined;
  /** The deployment's own: one of these replaces any other of its name. */
  own?: readonly Command[];
}

/** Makes the commands of all shims for one world. */
export function createShims(host: ShimHost, { programs, own = [] }: ShimChoice = {}): Shims {
  const replaced = new Set(own.map(({ name }) => name));
  const folders = shims
    .filter(({ program }) => program === undefined || programs?.[program] === true)
    .map((shim) => folderOf(shim, host));
  const plain = shims.filter((shim) => shim.plain === true).flatMap(({ names }) => names);
  const houses = folders.flatMap(({ commands }) => commands);
  return {
    commands: [
      ...houses.filter(({ name }) => !replaced.has(name)),
      ...own.map((each) => defineCommand(each.name, (args, ctx) => each.execute(args, ctx))),
    ],
    plain: new Set(plain.filter((name) => !replaced.has(name))),
    ahead: COMMONEST.flatMap((name) =>
      folders.filter(({ names }) => names.includes(name)).map(({ make }) => make),
    ),
  };
}

/** The commands of one folder. */
interface Folder {
  names: readonly string[];
  commands: Command[];
  make(): Promise<Command[]>;
}

function folderOf({ names, load }: Shim, host: ShimHost): Folder {
  let made: Promise<Command[]> | undefined;
  const make = (): Promise<Command[]> => {
    // The sandbox of a running command imports nothing; this is code of ours.
    made ??= DefenseInDepthBox.runTrustedAsync(load).then((factory) => factory(host));
    return made;
  };
  const command = async (name: string): Promise<Command> => {
    const found = (await make()).find((each) => each.name === name);
    if (found === undefined) throw new Error(`the shim of ${name} does not make it`);
    return found;
  };
  const commands = names.map((name) =>
    defineCommand(name, async (args, ctx) => (await command(name)).execute(args, ctx)),
  );
  return { names, commands, make };
}
