/** The shell at a real terminal: what is typed, pasted, searched, paged and edited there. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../world/harness.ts';
import { HAS_TERMINAL, PseudoTerminal } from './pseudo-terminal.ts';
import { ROOT } from './run-cli.ts';

const AT_PROMPT = /(?:^|\n)(?:\(dry run\) )?\/\S*\$ $/;

/** A shell in a plain world, at its first prompt. */
async function shell(env: Record<string, string> = {}, size = {}) {
  const main = join(ROOT, 'entry', 'main.ts');
  const terminal = new PseudoTerminal(
    `"${process.execPath}" "${main}" sh --no-deployment`,
    { XDG_STATE_HOME: temporaryDirectory(), ...env },
    size,
  );
  await terminal.until(AT_PROMPT);
  return {
    terminal,
    /** Types a line, and gives what is shown below it. */
    run: async (line: string): Promise<string> => {
      terminal.type(`${line}\r`);
      const shown = await terminal.until(AT_PROMPT);
      return shown
        .slice(shown.indexOf('\n') + 1)
        .replace(AT_PROMPT, '\n')
        .replace(/^\n/, '');
    },
  };
}

/** A script that stands for somebody's editor. */
function editor(script: string): string {
  const file = join(temporaryDirectory(), 'editor');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

test.skipIf(!HAS_TERMINAL)(
  'the keyboard is the stdin of what reads it, until Ctrl-D; Ctrl-C ends it; what is pasted behind a command is its input',
  async () => {
    const { terminal, run } = await shell();
    terminal.type('cat > f\r');
    await terminal.untilKeysAreRead();
    terminal.type('one\r');
    await terminal.until(/one\n$/);
    terminal.type('twX\x7fo\r');
    await terminal.until(/\n$/);
    terminal.type('\x04');
    await terminal.until(AT_PROMPT);
    expect(await run('cat f')).toBe('one\ntwo\n');
    terminal.type('read -p "Name? " x; echo "got $x"\r');
    await terminal.until(/Name\? $/);
    terminal.type('Bö\r');
    expect(await terminal.until(AT_PROMPT)).toContain('got Bö\n');
    terminal.type('cat\r');
    await terminal.untilKeysAreRead();
    terminal.type('\x03');
    await terminal.until(AT_PROMPT);
    expect(await run('echo $?')).toBe('130\n');
    terminal.type('cat > g\rpasted\rtoo\r\x04cat g; echo end of g\r');
    await terminal.until(/pasted\ntoo\nend of g\n/);
    await terminal.until(AT_PROMPT);
    expect(await run('pwd')).toBe('/workspace\n');
  },
);

test.skipIf(!HAS_TERMINAL)(
  'columns, aliases, the searched history, pages and hints are there, and a pipe sees none of it',
  async () => {
    const { terminal, run } = await shell({}, { columns: 60, rows: 12 });
    expect(await run('touch aa bb cc')).toBe('');
    expect(await run('ls')).toBe('aa  bb  cc\n');
    expect(await run('ls | cat')).toBe('aa\nbb\ncc\n');
    await run("alias ll='ls -1'");
    expect(await run('ll')).toBe('aa\nbb\ncc\n');
    expect(await run('history 2')).toMatch(/ ll\n +\d+ {2}history 2\n$/);
    terminal.type('\x12touch');
    await terminal.until(/search\)`touch': touch aa bb cc$/);
    terminal.type('\x12');
    await terminal.until(/failed search/);
    terminal.type('\x07');
    await terminal.until(/\$ $/);
    terminal.type('\x12alias\x05; ll aa\r');
    // The line that is edited shows the prompt, too, before the command has run.
    await terminal.until(/\naa\n[\s\S]*\$ $/);
    terminal.type('seq 100 | less\r');
    await terminal.until(/\n11\n.*q ends$/);
    expect(terminal.raw).toContain('\x1b[?1049h');
    terminal.type('G');
    await terminal.until(/\n100\n.*\(END\)$/);
    terminal.type('?55\r');
    await terminal.until(/55\n56\n[\s\S]*q ends$/);
    terminal.type('q');
    await terminal.until(AT_PROMPT);
    expect(terminal.raw).toContain('\x1b[?1049l');
    expect(await run('seq 3 | less | cat')).toBe('1\n2\n3\n');
    expect(await run('grpe x')).toContain('dirigent: did you mean grep?');
    expect(await run('cat /wrokspace/aa')).toContain('dirigent: did you mean /workspace/aa?\n');
    expect(await run('help')).toContain('/README.md');
  },
);

test.skipIf(!HAS_TERMINAL)(
  'edit opens the editor that the environment names, on a copy, and takes what it leaves',
  async () => {
    const EDITOR = editor('tty > /dev/null || exit 9; sed -i "s/old/new/" "$1"');
    const { terminal, run } = await shell({ EDITOR });
    await run('echo old > note.md');
    expect(await run('edit note.md')).toBe('');
    expect(await run('cat note.md')).toBe('new\n');
    expect(await run('edit note.md')).toContain('nothing was changed');
    terminal.type('edit /harness/AGENTS.md\r');
    expect(await terminal.until(AT_PROMPT)).toContain('nothing was changed');
    const { run: broken } = await shell({ EDITOR: editor('exit 3') });
    expect(await broken('edit note.md')).toContain('the editor failed; nothing was written');
    const { terminal: refused } = await shell({ EDITOR: editor('echo more >> "$1"') });
    refused.type('edit /harness/AGENTS.md\r');
    await refused.until(/mounted ro.*\nEdit it again\? y or n: $/);
    refused.type('n\r');
    expect(await refused.until(AT_PROMPT)).toContain('your text is in /tmp/AGENTS.md');
  },
);
