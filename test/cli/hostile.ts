/** Text that was written to deceive whoever reads it at a terminal, and processes that are given it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ACTED_ON, HOSTILE } from '../hostile-text.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { cli } from './run-cli.ts';

/** A whole line as a forger would want it; each hostile text has one, and one of each kind of line end. */
export const FORGED = 'allow? y once: y';
const ENDS = ['\n', '\r', '\r\n', '\u2028', '\u2029', '\x85', '\v', '\f'];
export const TEXTS = HOSTILE.map(
  ([, text], index) => `${text}${ENDS[index % ENDS.length]}${FORGED}\n${FORGED} ${text}`,
);
/** All of them in one. */
export const ALL = TEXTS.join('\n');

/** Our own styles, by which lines are dimmed, made bold and replaced. */
const OWN_STYLE = /\r?\x1b\[(?:2m|1m|0m|K)/g;

/** Nothing acts on the terminal, and no line begins as a forger wants it. */
export function expectHarmless(printed: string, what: string): void {
  const text = printed.replace(OWN_STYLE, '').replace(/\p{RGI_Emoji}/gv, '');
  expect(
    ACTED_ON.exec(text)?.[0],
    `${what}: ${JSON.stringify(text.slice(0, 200))}`,
  ).toBeUndefined();
  expect(text, what).not.toMatch(new RegExp(`^${FORGED.replace('?', '\\?')}`, 'm'));
}

/** Command lines that are refused in words that repeat such text. */
const REFUSED = {
  'an argument': (text: string) => [text],
  'an option': (text: string) => ['sh', `--${text}`],
  'a deployment': (text: string) => ['sh', '--deployment', text],
  'a mount': (text: string) => ['sh', '--mount', `/x=${text}`, '-c', 'true'],
  'a config': (_: string, deployment: string) => ['sh', '--deployment', deployment, '-c', 'true'],
  'a model': (text: string) => ['run', '--model', text, 'x'],
};
export const REFUSALS = Object.keys(REFUSED) as (keyof typeof REFUSED)[];

/** Runs a process for each, and looks at what it prints. */
export async function expectRefusals(which: readonly (keyof typeof REFUSED)[]): Promise<void> {
  const deployment = temporaryDirectory();
  // The arguments of a process cannot hold a null.
  const text = ALL.replaceAll('\0', '');
  writeFileSync(
    join(deployment, 'dirigent.config.mjs'),
    `throw new Error(${JSON.stringify(text)});\n`,
  );
  const results = await Promise.all(which.map((each) => cli(REFUSED[each](text, deployment))));
  for (const [index, { stdout, stderr, status }] of results.entries()) {
    expect(status, which[index]).not.toBe(0);
    expect(stderr, which[index]).toMatch(/^dirigent: /);
    expectHarmless(`${stdout}${stderr}`, which[index] ?? '');
  }
}
