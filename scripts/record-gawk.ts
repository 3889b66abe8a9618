/** Writes down what this machine's gawk answers: `node scripts/record-gawk.ts`, after a change of shims/awk/testing/scripts.ts. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Answer, gawkVersion, inGawk } from '../shims/awk/testing/gawk.ts';
import { SCRIPTS } from '../shims/awk/testing/scripts.ts';

const answers: Record<string, Answer> = {};
for (const script of Object.values(SCRIPTS).flat()) answers[script] = inGawk(script);
const target = fileURLToPath(new URL('../shims/awk/testing/recorded.json', import.meta.url));
writeFileSync(target, `${JSON.stringify({ about: gawkVersion(), answers }, null, 1)}\n`);
console.info(`${Object.keys(answers).length} answers`);
