/** Records what this machine's tools answer: `node test/commands/record.ts [SUBJECT…]`, then `npx biome check --write test/commands`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CASES } from './cases.ts';
import { type Answer, native } from './native.ts';

const file = fileURLToPath(new URL('./recorded.json', import.meta.url));
const only = process.argv.slice(2);
const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Answer>;
const answers: Record<string, Answer> = {};
for (const [subject, scripts] of Object.entries(CASES)) {
  for (const script of scripts) {
    const known = before[script];
    const keeps = known !== undefined && only.length > 0 && !only.includes(subject);
    answers[script] = keeps ? known : native(script);
  }
}
const rows = Object.entries(answers).map(
  ([script, answer]) => `  ${JSON.stringify(script)}: ${JSON.stringify(answer)}`,
);
writeFileSync(file, `{\n${rows.join(',\n')}\n}\n`);
