/** Which commands would read what nobody has piped to them: a script's, and a person's at the keyboard. */
import { describe, expect, test } from 'vitest';
import { fromKeyboard } from './keyboard.ts';
import { mayReadStdin } from './may-read-stdin.ts';
import type { ShellTerminal, TerminalRequest } from './terminal.ts';

const READS: readonly string[] = [
  'cat',
  'echo a; cat',
  'cat -',
  'cat file -',
  'cat /dev/stdin',
  'cat -n',
  '/bin/cat',
  'cat | wc',
  'true && cat',
  '! cat',
  'grep x',
  'grep -e x',
  'grep -m 3 x',
  'sed -n 1p',
  'sort -k 2',
  'sort -t : -k 2',
  'head -n 3',
  'cut -d : -f 1',
  'awk -F : "{print}"',
  'xargs echo',
  'tee f',
  'tr a b',
  'read x',
  'bash',
  'eval "$x"',
  'cat 3< f',
  'cat > f',
  '"cat"',
  'c""at',
  '$command f',
  '"$command" f',
  'x=$(cat)',
  'x="a $(cat)"',
  'a=(1 $(cat))',
  'echo $(cat)',
  'echo "b $(cat)"',
  'if cat; then :; fi',
  'if true; then cat; fi',
  'if true; then :; elif cat; then :; fi',
  'if true; then :; else cat; fi',
  'while read x; do :; done',
  'until false; do cat; done',
  'for x in 1; do cat; done',
  'for ((;;)); do cat; done',
  '(cat)',
  '{ cat; }',
  'case a in b) ;; a) cat;; esac',
  'f() { cat; }; f',
];

const READS_NOT: readonly string[] = [
  '',
  'echo a',
  'cat file',
  'cat < file',
  'cat 0< file',
  'cat <<< text',
  'cat <<E\ntext\nE',
  'echo a | cat',
  'echo a | cat | grep b | wc',
  'grep x file',
  'grep -e x -- file more',
  'grep -r x',
  'grep -nR x',
  'egrep --recursive x',
  'rg x dir',
  'sed -e p file file',
  'sed p file',
  'head -n 3 file',
  'sort -k 2 file',
  'cut -d : -f 1 file',
  'cat -- -n',
  'ls; pwd; cd /',
  'x=1',
  'x=$(cat file) y="$(echo b)"',
  'a=(1 2)',
  '> file',
  'echo "$x" $(date)',
  'if true; then echo a; else echo b; fi',
  'while true; do echo; done',
  'while cat; do :; done < file',
  '(cat) < file',
  '{ cat; } < file',
  'for x in 1; do cat f; done',
  'case a in a) echo;; esac',
  'f() { echo; }; f',
  '[[ -f cat ]]',
  '((cat))',
  'echo "unclosed',
  'if cat',
];

describe('a script', () => {
  test.each(READS)('may read its stdin: %s', (script) => {
    expect(mayReadStdin(script)).toBe(true);
  });
  test.each(READS_NOT)('cannot read its stdin: %s', (script) => {
    expect(mayReadStdin(script)).toBe(false);
  });
});

/** What a command asks at the keyboard, and what it is given. */
async function asked(
  line: readonly string[],
  answer: string | null = 'typed é',
): Promise<{ request: TerminalRequest | null; text: string }> {
  let request: TerminalRequest | null = null;
  const terminal: ShellTerminal = {
    columns: 80,
    rows: 24,
    color: false,
    async ask(one) {
      request = one;
      return answer;
    },
  };
  const [name = '', ...args] = line;
  return { text: await fromKeyboard(terminal, name, args), request };
}

describe('a command at a terminal', () => {
  test.each([
    'cat',
    'wc -l',
    'sort',
    'grep -',
    'diff a -',
    'jq .',
    'awk {print}',
    'gawk BEGIN{x=1}{print}',
    'awk BEGIN{getline}',
    'tr a b',
    'mapfile lines',
  ])('reads all that is typed: %s', async (line) => {
    const { request, text } = await asked(line.split(' '));
    expect(request).toEqual({ kind: 'rest' });
    expect(text).toBe(line.startsWith('mapfile') ? 'typed é' : 'typed \u00c3\u00a9');
  });

  test.each([
    'cat file',
    'grep x',
    'rg x',
    'comm a',
    'join a',
    'bash',
    'python3',
    'env',
    'timeout 3 cat',
    'jq -n 1',
    'jq --null-input 1',
    'sort --help',
    'cat --version',
    'awk BEGIN{print}',
    'awk BEGIN{print("}")}',
    'gawk BEGIN{if(x){y}}',
    'echo',
  ])('reads nothing: %s', async (line) => {
    expect(await asked(line.split(' '))).toEqual({ request: null, text: '' });
  });

  test('a program of several BEGINs ends before it would read, one with an END does not', async () => {
    expect((await asked(['awk', ' BEGIN { a } \n BEGIN { b "\\"}" } '])).request).toBeNull();
    expect((await asked(['awk', 'BEGIN { a } END { b }'])).request).toEqual({ kind: 'rest' });
  });

  test.each([
    [['read', 'x'], { prompt: '', hidden: false }],
    [['read', '-p', 'Name: ', 'x'], { prompt: 'Name: ', hidden: false }],
    [['read', '-pName: ', 'x'], { prompt: 'Name: ', hidden: false }],
    [['read', '-rsp', 'Word: '], { prompt: 'Word: ', hidden: true }],
    [['read', '-s', '-p'], { prompt: '', hidden: true }],
    [['read', '--', '-p', 'x'], { prompt: '', hidden: false }],
    [['read', 'x', '-p', 'y'], { prompt: '', hidden: false }],
  ])('asks for a line with its prompt: %j', async (line, looks) => {
    expect(await asked(line)).toEqual({
      request: { kind: 'line', ...looks },
      text: 'typed é\n',
    });
  });

  test('reads nothing from a file that was opened, and an end of input as nothing', async () => {
    expect(await asked(['read', '-u', '3', 'x'])).toEqual({ request: null, text: '' });
    expect((await asked(['read', 'x'], null)).text).toBe('');
    expect((await asked(['cat'], null)).text).toBe('');
    expect(await fromKeyboard(null, 'cat', [])).toBe('');
  });
});
