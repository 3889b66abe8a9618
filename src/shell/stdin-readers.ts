/** Which commands read their stdin. */

/**
 * Commands that read stdin when they are given fewer operands than this.
 * Infinity: whatever the operands. What is not here never reads it.
 */
export const READERS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    // Files, or else stdin.
    'awk:2 gawk:2 cat:1 column:1 comm:2 cut:1 diff:2 cmp:2 egrep:2 expand:1 fgrep:2 file:1 fold:1 grep:2 gunzip:1 gzip:1 head:1 html-to-markdown:1 join:2 jq:2 md5sum:1 nl:1 od:1 paste:1 rev:1 rg:2 sed:2 sha1sum:1 sha256sum:1 shuf:1 sort:1 split:1 strings:1 tac:1 tail:1 unexpand:1 uniq:1 wc:1 b2sum:1 base32:1 basenc:1 bat:1 batcat:1 bunzip2:1 bzcat:1 bzip2:1 cksum:1 colrm:3 dc:1 factor:1 fmt:1 hd:1 hexdump:1 numfmt:1 pr:1 sha224sum:1 sha384sum:1 sha512sum:1 sum:1 tsort:1 unxz:1 unzstd:1 xz:1 xzcat:1 zstd:1 zstdcat:1 base64:1 xq:2 xxd:1 yq:2 zcat:1'
      .split(' ')
      .map((each) => each.split(':'))
      .map(([name, least]) => [name, Number(least)]),
  ),
  // Those that read it always, and those that run others on it.
  ...Object.fromEntries(
    'chronic dd ed envsubst flock ifne parallel pee setsid sponge stdbuf ts tee tr xargs read mapfile readarray bash sh eval source . env timeout time command builtin exec nohup nice sqlite3 python python3 node nodejs js-exec tar cpio select'
      .split(' ')
      .map((name) => [name, Number.POSITIVE_INFINITY]),
  ),
};

/** Short options whose value is the next word, by command: those words are no operands. */
const WITH_VALUE: Readonly<Record<string, string>> = {
  awk: 'Fv',
  gawk: 'Fv',
  column: 'cso',
  cut: 'bcdf',
  egrep: 'ABCm',
  fgrep: 'ABCm',
  fold: 'w',
  grep: 'ABCm',
  head: 'nc',
  join: 'aet12jo',
  nl: 'bhfvilnsw',
  od: 'AjNtw',
  paste: 'd',
  rg: 'ABCgmt',
  shuf: 'no',
  sort: 'koStT',
  split: 'abln',
  tail: 'nc',
  uniq: 'fsw',
  xxd: 'clgs',
};

/** Options that make an operand of the command superfluous: the pattern or the program is in them. */
const PROGRAM = /^-[a-zA-Z]*[ef]$|^--(regexp|file|expression)$/;

/**
 * May a command read its stdin, by its name and its words?
 * @param args null for a word that is not known yet
 */
export function mayRead(name: string, args: readonly (string | null)[]): boolean {
  const command = name.slice(name.lastIndexOf('/') + 1);
  const least = READERS[command];
  return least !== undefined && operands(command, args) < least;
}

/** How many files and patterns are named; a lone `-` is stdin itself. */
function operands(command: string, args: readonly (string | null)[]): number {
  const valued = WITH_VALUE[command] ?? '';
  let count = 0;
  for (let index = 0; index < args.length; index++) {
    const text = args[index] ?? null;
    if (text === '-' || text === '/dev/stdin') return 0;
    if (text === null || !text.startsWith('-')) count++;
    else if (text === '--') return count + args.length - index - 1;
    else if (PROGRAM.test(text) && (READERS[command] ?? 0) > 1) continue;
    else if (text.length === 2 && valued.includes(text.charAt(1))) index++;
  }
  return recursive(command, args) ? Number.POSITIVE_INFINITY : count;
}

/** `grep -r x` and `rg x` search the directory; they never look at stdin. */
const recursive = (command: string, args: readonly (string | null)[]): boolean =>
  /^[ef]?grep$/.test(command) &&
  args.some((text) => /^(-[a-zA-Z]*[rR]|--recursive$)/.test(text ?? ''));
