/** Records what this machine's tools answer: `node test/commands/record.ts [SUBJECT…]`, then `npx biome check --write test/commands`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CASES } from './cases.ts';
import { EDGES } from './edges.ts';
import { type Answer, native } from './native.ts';

const only = process.argv.slice(2);
record('recorded.json', CASES);
record('edges.json', EDGES);

function record(name: string, cases: Readonly<Record<string, readonly string[]>>): void {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Answer>;
  const answers: Record<string, Answer> = {};
  for (const [subject, scripts] of Object.entries(cases)) {
    for (const script of scripts) {
      const known = before[script];
      const keeps = known !== undefined && only.length > 0 && !only.includes(subject);
      answers[script] = keeps ? known : straight(native(script));
    }
  }
  const rows = Object.entries(answers).map(
    ([script, answer]) => `  ${JSON.stringify(script)}: ${JSON.stringify(answer)}`,
  );
  writeFileSync(file, `{\n${rows.join(',\n')}\n}\n`);
}

/** The quotes of messages are the plain ones here, whatever the locale. */
function straight([stdout, status]: Answer): Answer {
  return [stdout.replaceAll(/\u00e2\u0080[\u0098\u0099]/g, "'"), status];
}
