/** docs/mounts.md, followed to the letter: its files are written, its changes made, its commands run. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { out, ROOT, run } from './pack.ts';

export interface Block {
  language: string;
  text: string;
}

export const GUIDE = join(ROOT, 'docs', 'mounts.md');

/** The guide's blocks of code, in their order. */
export function blocksOf(): Block[] {
  const found = readFileSync(GUIDE, 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...found].map(([, language = '', code = '']) => ({ language, text: code }));
}

/** What is run at which place of the guide, each with how many blocks it is. */
export type Followed = Record<'file' | 'diff' | 'sh' | 'console', number>;

/**
 * Follows the guide in an empty directory.
 * @param tarball the package, in the place of the published one
 */
export function followGuide(directory: string, tarball: string, env: NodeJS.ProcessEnv): Followed {
  mkdirSync(directory);
  const followed: Followed = { file: 0, diff: 0, sh: 0, console: 0 };
  // As a person's own terminal has it: told that it runs in a test, node --test would report to that.
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  const own = { ...env, PATH, NODE_TEST_CONTEXT: undefined };
  const shell = (script: string) => out('sh', ['-ec', script], directory, own);
  for (const { language, text } of blocksOf()) {
    const file = /^\/\/ (\S+)\n/.exec(text)?.[1];
    if (file !== undefined) {
      writeFileSync(join(directory, file), text);
      followed.file += 1;
    } else if (language === 'diff') {
      writeFileSync(join(directory, 'change.diff'), text);
      // A repository around the directory is none of the guide's.
      out('git', ['apply', 'change.diff'], directory, { GIT_DIR: join(directory, 'none') });
      followed.diff += 1;
    } else if (language === 'sh') {
      // Each line begins where the reader stands, in the deployment.
      for (const line of text.trimEnd().split('\n')) {
        const command = line.replace('install dirigent ', `install --prefer-offline ${tarball} `);
        const said = shell(command);
        if (line.includes('npm test')) expect(said).toMatch(/^. pass 9\n. fail 0$/m);
        if (line.includes('--dry-run')) expect(said).toContain('"method": "DELETE"');
      }
      followed.sh += 1;
    } else if (language === 'console') {
      transcript(text, directory, own);
      followed.console += 1;
    }
  }
  return followed;
}

const END = '-- end of the step --';

/** Runs a session, and compares what each of its commands prints with what the page shows. */
function transcript(text: string, cwd: string, env: NodeJS.ProcessEnv): void {
  const [first = '', ...lines] = text.trimEnd().split('\n');
  const steps: { command: string; shown: string[] }[] = [];
  for (const line of lines) {
    const command = /^\/\S*\$ (.*)$/.exec(line)?.[1];
    if (command === undefined) steps.at(-1)?.shown.push(line);
    else steps.push({ command, shown: [] });
  }
  const script = join(cwd, 'session.sh');
  writeFileSync(
    script,
    steps.map(({ command }) => `{ ${command}\n} 2>&1\necho '${END}'\n`).join(''),
  );
  const { stdout, stderr } = run('sh', ['-c', `${first.slice(2)} < session.sh`], cwd, env);
  const printed = stdout.split(`${END}\n`);
  expect(printed.length, stderr).toBe(steps.length + 1);
  for (const [index, { command, shown }] of steps.entries()) {
    const said = printed[index]?.split('\n').slice(0, -1) ?? [];
    expect(said.length, `${command}\n${printed[index]}`).toBe(shown.length);
    for (const [at, line] of shown.entries()) {
      // A line that ends so is cut.
      const [start = ''] = line.split('…');
      if (line.endsWith('…')) expect(said[at]?.startsWith(start), `${said[at]}`).toBe(true);
      else expect(said[at], command).toBe(line);
    }
  }
}
