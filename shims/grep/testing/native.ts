/** Runs the machine's own grep or rg over the same files, to compare: many cases in one shell. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** One command line; `stdin`, what comes through a pipe, is one character a byte. */
export interface Case {
  args: readonly string[];
  stdin: string;
  /** The C locale instead of C.UTF-8. */
  bytes?: boolean;
}

/** Output as one character a byte. */
export interface NativeResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  /** It took too long, or crashed. */
  killed: boolean;
}

/** Cases that one shell runs. */
const BATCH = 400;
/** Seconds of CPU that a program (and the shell) may take; then it is killed. */
const LIMIT = 6;
/** Stands between the outputs of cases, and is in none of them. */
const MARK = '\u0001=~ next case ~=\u0002';

/** The first line of `PROGRAM --version`, or null where there is none. */
export function versionOf(program: string): string | null {
  const run = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (run.error || run.status !== 0) return null;
  return run.stdout.split('\n')[0] ?? null;
}

/** A word as bash reads it back, whatever is in it but NUL. */
function quoted(bytes: string): string {
  const text = bytes.replace(
    /[^ -&(-[\]-~]/g,
    (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `$'${text}'`;
}

/** A directory on disk with the given files and links, removed again by `dispose`. */
export class NativeTree {
  readonly root: string;
  private readonly inputs = new Map<string, string>();

  constructor(
    files: Readonly<Record<string, string | Uint8Array>>,
    links: Readonly<Record<string, string>> = {},
  ) {
    this.root = mkdtempSync(join(tmpdir(), 'grep-parity-'));
    const place = (path: string): string => {
      const file = join(this.root, path);
      mkdirSync(dirname(file), { recursive: true });
      return file;
    };
    for (const [path, data] of Object.entries(files)) writeFileSync(place(path), data);
    for (const [path, target] of Object.entries(links)) symlinkSync(target, place(path));
  }

  /** Runs a program with each case's arguments, in a directory of the tree. */
  run(program: string, cases: readonly Case[], cwd: string): NativeResult[] {
    const results: NativeResult[] = [];
    for (let i = 0; i < cases.length; i += BATCH) {
      results.push(...this.batch(program, cases.slice(i, i + BATCH), cwd));
    }
    return results;
  }

  private input(stdin: string): string {
    const known = this.inputs.get(stdin);
    if (known !== undefined) return known;
    const file = join(this.root, `stdin-${this.inputs.size}`);
    writeFileSync(file, Buffer.from(stdin, 'latin1'));
    this.inputs.set(stdin, file);
    return file;
  }

  private batch(program: string, cases: readonly Case[], cwd: string): NativeResult[] {
    const out = join(this.root, 'out');
    const err = join(this.root, 'err');
    const lines = cases.map(({ args, stdin, bytes }) => {
      const words = args.map((arg) => quoted(Buffer.from(arg, 'utf8').toString('latin1')));
      const locale = bytes ? 'C' : 'C.UTF-8';
      const run = `LC_ALL=${locale} ${program} ${words.join(' ')}`;
      return `${stdin === '' ? `${run} </dev/null` : `cat ${this.input(stdin)} | ${run}`}; m $?`;
    });
    const mark = quoted(MARK);
    const script = `m() { echo ${mark}"$1"; echo ${mark} >&2; }\n${lines.join('\n')}\n`;
    const file = join(this.root, 'script');
    writeFileSync(file, script);
    const shell = `ulimit -t ${LIMIT}; exec >${quoted(out)} 2>${quoted(err)}; . ${quoted(file)}`;
    const done = spawnSync('bash', ['--norc', '-c', shell], {
      cwd: join(this.root, cwd),
      env: { PATH: process.env['PATH'], TERM: 'xterm', LC_ALL: 'C' },
    });
    if (done.error) throw done.error;
    const pieces = readFileSync(out, 'latin1').split(MARK);
    const errors = readFileSync(err, 'latin1').split(`${MARK}\n`);
    return cases.map((_, i) => {
      const [, status = '-1'] = /^(\d+)\n/.exec(pieces[i + 1] ?? '') ?? [];
      const piece = pieces[i] ?? '';
      return {
        stdout: i === 0 ? piece : piece.replace(/^\d+\n/, ''),
        stderr: errors[i] ?? '',
        exitCode: Number(status),
        killed: Number(status) > 128,
      };
    });
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
