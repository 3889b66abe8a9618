/** What is typed at a terminal, for a command that asks and for the conversation with an agent. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { ConfigError } from '../errors.ts';
import { completeCall, outcomeOf } from './chat-commands.ts';
import { compileCacheDirectory } from './compile-cache.ts';
import type { Conversation } from './conversation.ts';
import { editText } from './editor.ts';
import { appendHistory, HISTORY_LIMIT, historyFile, readHistory, trimHistory } from './history.ts';
import { isIncomplete } from './incomplete.ts';
import { typedLine } from './keyboard.ts';
import { firstKey, RawKeys } from './keys.ts';

const never = new AbortController().signal;

describe('a line for a command', () => {
  /** The line of these keys, after which the terminal is gone. */
  const line = async (text: string, hidden = false) => {
    const input = new PassThrough();
    const keys = new RawKeys(input);
    keys.start();
    input.end(text);
    let shown = '';
    const result = await typedLine(keys, (part) => (shown += String(part)), hidden, never);
    keys.stop();
    return [result, shown, keys.takePending()];
  };
  test.each<[string, unknown, string]>([
    ['ab\r', { line: 'ab' }, 'ab\n'],
    ['ab\n', { line: 'ab' }, 'ab\n'],
    ['ab\r\nc', { line: 'ab' }, 'ab\n'],
    ['\r', { line: '' }, '\n'],
    ['ab\x7fc\r', { line: 'ac' }, 'ab\b \bc\n'],
    ['\x7f\b\r', { line: '' }, '\n'],
    ['日\b\r', { line: '' }, '日\b \b\b \b\n'],
    ['one  two \x17\r', { line: 'one  ' }, `one  two ${'\b \b'.repeat(4)}\n`],
    ['one two\x15x\r', { line: 'x' }, `one two${'\b \b'.repeat(7)}x\n`],
    ['a\x04b\r', { line: 'ab' }, 'ab\n'],
    ['a\x1b[Db\x01\tc\r', { line: 'ab\tc' }, 'ab\\tc\n'],
    ['\x04', 'ended', ''],
    ['ab\x03c', 'interrupted', 'ab^C\n'],
    ['', 'ended', ''],
    ['ab', { line: 'ab' }, 'ab'],
  ])('%j is %j', async (text, result, shown) => {
    expect((await line(text)).slice(0, 2)).toEqual([result, shown]);
  });

  test('is not shown where it is hidden, and what is typed behind it is left', async () => {
    expect(await line('se\x7fcret\rmore', true)).toEqual([{ line: 'scret' }, '', 'more']);
  });

  test('is interrupted where nobody waits for it any more', async () => {
    const input = new PassThrough();
    const keys = new RawKeys(input, 'ab');
    keys.start();
    const stop = new AbortController();
    const reading = typedLine(keys, () => undefined, false, stop.signal);
    stop.abort();
    expect(await reading).toBe('interrupted');
    expect(await keys.next(stop.signal)).toBeNull();
    keys.stop();
    expect([input.listenerCount('data'), input.isPaused()]).toEqual([0, true]);
  });
});

test('keys come whole, a character in two pieces, too, and raw mode ends with their reading', async () => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => modes.push(raw) });
  const keys = new RawKeys(input);
  keys.start();
  const bytes = Buffer.from('é');
  const reading = keys.next();
  input.write(bytes.subarray(0, 1));
  input.write(bytes.subarray(1));
  expect(await reading).toBe('é');
  input.write('\x1b[1;5Cx');
  expect([await keys.next(), await keys.next()]).toEqual(['\x1b[1;5C', 'x']);
  keys.stop();
  expect(modes).toEqual([true, false]);
  expect(['', '\x1b', '\r\nx', '\x1bOAx', '👍x'].map(firstKey)).toEqual([
    '',
    '\x1b',
    '\r\n',
    '\x1bOA',
    '👍',
  ]);
});

test.each([
  ['echo "a', true],
  ['cat <<X\na', true],
  ['a |', true],
  ['a \\', true],
  ['for i in 1; do', true],
  ['[[ a', true],
  ['x=(1', true],
  ['', false],
  [' \n ', false],
  ['echo a', false],
  [':', false],
  ['! :', false],
  ['a; :', false],
  ['done', false],
  ['echo )', false],
  ['cat <<X\na\nX', false],
])('%j goes on in the next line: %s', (text, goesOn) => expect(isIncomplete(text)).toBe(goesOn));

test('the history has so many lines, the newest first, and none that a terminal would act on', () => {
  const file = historyFile(temporaryDirectory());
  expect(readHistory(file)).toEqual([]);
  trimHistory(file);
  for (const line of ['one', 'two\tthree', 'bad\x1b[1m', '']) appendHistory(file, line);
  expect(readHistory(file)).toEqual(['two\tthree', 'one']);
  trimHistory(file);
  expect(readHistory(file)).toEqual(['two\tthree', 'one']);
  const many = Array.from({ length: HISTORY_LIMIT + 1 }, (_, index) => `line ${index}`);
  writeFileSync(file, `${many.join('\n')}\n`);
  expect(readHistory(file)).toHaveLength(HISTORY_LIMIT);
  trimHistory(file);
  expect([readHistory(file)[0], readHistory(file).at(-1)]).toEqual(['line 1000', 'line 1']);
});

test('an editor is the person’s own, and what it leaves is taken where it ends well', async () => {
  const at = temporaryDirectory();
  const edit = (env: Record<string, string>) => editText('/w/note.md', 'text', env);
  const editor = join(at, 'editor');
  writeFileSync(editor, '#!/bin/sh\nprintf %s "$1 ${2##*/}" > "$2"\n', { mode: 0o755 });
  expect(await edit({ EDITOR: `${editor} --wait` })).toBe('--wait note.md');
  expect(await edit({ VISUAL: `${editor} -v`, EDITOR: 'false' })).toBe('-v note.md');
  expect(await edit({ VISUAL: '', EDITOR: 'true' })).toBe('text');
  expect(await edit({ EDITOR: 'false' })).toBeNull();
});

test.each<[Record<string, string>, string | undefined]>([
  [{ HOME: '/h' }, '/h/.cache/dirigent/compiled'],
  [{ HOME: '/h', XDG_CACHE_HOME: '/c' }, '/c/dirigent/compiled'],
  [{ HOME: '/h', XDG_CACHE_HOME: 'c' }, undefined],
  [{}, undefined],
  [{ HOME: '/h', NODE_COMPILE_CACHE: '/x' }, undefined],
])('with %j compiled code is kept in %s', (env, directory) => {
  expect(compileCacheDirectory(env)).toBe(directory);
});

describe('a line of a conversation', () => {
  /** A conversation whose harness has these, and what became of it. */
  function conversation(model?: string) {
    const done: string[] = [];
    const options = { agent: undefined, model, plan: false };
    const of = {
      options,
      agent: {
        defaultModel: 'builtin/extract',
        vocabulary: async () => ({
          skills: [{ name: 'triage', description: 'sorts' }],
          commands: [
            { name: 'review', arguments: 'PATH', description: '' },
            { name: 'cost', arguments: '', description: 'of ours' },
          ],
        }),
        checkModel: async (name: string) => {
          if (name === 'none') throw new ConfigError('--model', 'there is no model none');
          if (name === 'fault') throw new TypeError('fault');
        },
        compact: async (chosen: object) => {
          done.push(`compact ${JSON.stringify(chosen)}`);
          return model !== undefined;
        },
      },
      world: {
        session: {
          travel: (at: null) => done.push(`travel ${at}`),
          usage: {
            tokens: { input: 1234, output: 56 },
            commands: 3,
            requests: 0,
            messages: { user: 2 },
          },
        },
      },
      sessions: async (name: string) => (name === 'x' ? null : `session of ${name}`),
    } as unknown as Conversation;
    const said = async (line: string) => {
      const outcome = await outcomeOf(line, of);
      return outcome.do === 'say' ? String(outcome.text) : outcome;
    };
    return { of, said, done, options };
  }
  const SEND = { do: 'send' };

  test.each(['hello', ' /help', '/review a', '$triage', '/a/b', '/', 'a /help'])(
    '%j is sent',
    async (line) => expect(await conversation().said(line)).toEqual(SEND),
  );

  test('that begins with / is a command, unless the harness has one of that name', async () => {
    const { said, done, options } = conversation();
    expect(await said('/cost')).toEqual(SEND);
    expect(await said('/exit')).toEqual({ do: 'end' });
    expect(await said('/model')).toBe('builtin/extract\n');
    expect(await said('/model none')).toMatch(/^dirigent: .*there is no model none\n$/);
    expect(await said('/model fault')).toBe('dirigent: fault\n');
    expect(options.model).toBeUndefined();
    expect(await said('/model  openai/x ')).toBe('openai/x answers from now on\n');
    expect(await said('/model')).toBe('openai/x\n');
    expect(await said('/plan')).toContain('from now on a plan comes first');
    expect(options.plan).toBe(true);
    expect(await said('/plan')).toBe('no plan is asked for any more\n');
    expect(await said('/clear')).toBe('the model sees nothing of what was said before\n');
    expect(await said('/compact')).toBe('there is nothing to summarise yet\n');
    expect(await conversation('m').said('/compact')).toBe('summarised\n');
    expect(done).toEqual(['travel null', 'compact {"model":"openai/x"}']);
    expect(await said('/resume')).toEqual({ do: 'resume', session: 'session of ' });
    expect(await said('/resume 01')).toEqual({ do: 'resume', session: 'session of 01' });
    expect(await said('/resume x')).toBe('there is no other session with a conversation\n');
  });

  test('that names no command or skill is told of, and goes to no model', async () => {
    const { said } = conversation();
    expect(await said('/reviw a')).toBe(
      'dirigent: there is no command /reviw; did you mean /review? (/help lists them; a line that begins with a blank is sent as it is)\n',
    );
    expect(await said('/constructor')).toContain('there is no command /constructor');
    expect(await said('$triag')).toBe(
      'dirigent: there is no skill $triag; did you mean $triage?\n',
    );
    expect(await said('$help')).toBe('dirigent: there is no skill $help\n');
  });

  test('is helped with by a list, and by Tab', async () => {
    const { said, of } = conversation();
    const rows = String(await said('/help')).split('\n');
    expect(rows[0]).toBe('/help           this list');
    expect(rows).toContain('/review PATH    a template of the harness');
    expect(rows).toContain('/cost           of ours');
    expect(rows).toContain('$triage         sorts');
    expect(rows.at(-2)).toContain('Esc stops a turn');
    const tab = async (text: string) => (await completeCall(text, of))[0];
    expect(await tab('/c')).toEqual(['/clear ', '/compact ', '/cost ']);
    expect(await tab('$')).toEqual(['$triage ']);
    expect(await tab('/re')).toEqual(['/resume ', '/review ']);
    expect(await tab('say /c')).toEqual([]);
    expect((await completeCall('/c', of))[1]).toBe('/c');
  });
});
