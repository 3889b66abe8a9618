/** The tokens of a day, over all processes of a deployment: one small file a day, only appended to. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { DayLedger } from './budget.ts';

/** @param state the directory of the state; days are UTC */
export function fileLedger(state: string, now: () => Date = () => new Date()): DayLedger {
  const file = () => join(state, 'tokens', now().toISOString().slice(0, 10));
  return {
    today: () => {
      if (!fs.existsSync(file())) return 0;
      const lines = fs.readFileSync(file(), 'utf8').split('\n');
      return lines.reduce((sum, line) => sum + (Number(line) || 0), 0);
    },
    add: (tokens) => {
      fs.mkdirSync(join(state, 'tokens'), { recursive: true, mode: 0o700 });
      fs.appendFileSync(file(), `${tokens}\n`, { mode: 0o600 });
    },
  };
}
