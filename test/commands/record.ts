/**
 * Records what this machine's tools answer: `node test/commands/record.ts [SUBJECT…]`, then
 * `npx biome check --write test/commands shims`. Subjects are those of cases.ts, and the folders in
 * shims/ that have an edges.json, or an edges.long.json for what takes long.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CASES } from './cases.ts';
import { type Answer, native } from './native.ts';
import type { Edge } from './recorded-suite.ts';

const only = process.argv.slice(2);
const isAsked = (subject: string): boolean => only.length === 0 || only.includes(subject);
recordCases(join(import.meta.dirname, 'recorded.json'));
const shims = join(import.meta.dirname, '../../shims');
for (const file of globSync(join(shims, '*/edges{,.long}.json')))
  if (isAsked(basename(dirname(file)))) recordEdges(file);

function recordCases(file: string): void {
  const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Answer>;
  const answers: Record<string, Answer> = {};
  for (const [subject, scripts] of Object.entries(CASES)) {
    for (const script of scripts) {
      const known = before[script];
      answers[script] = known !== undefined && !isAsked(subject) ? known : native(script);
    }
  }
  const rows = Object.entries(answers).map(
    ([script, answer]) => `  ${JSON.stringify(script)}: ${JSON.stringify(answer)}`,
  );
  writeFileSync(file, `{\n${rows.join(',\n')}\n}\n`);
}

function recordEdges(file: string): void {
  const edges = JSON.parse(readFileSync(file, 'utf8')) as Edge[];
  const answered = edges.map(({ script }) => {
    const [stdout, status] = native(script.join('\n'));
    // The quotes of messages are the plain ones here, whatever the locale.
    const plain = stdout.replaceAll(/\u00e2\u0080[\u0098\u0099]/g, "'");
    return { script, stdout: plain.split('\n'), status } satisfies Edge;
  });
  writeFileSync(file, `${JSON.stringify(answered, null, 2)}\n`);
}
