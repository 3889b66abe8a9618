/**
 * Commands answer what GNU's, util-linux's and others' answer: what those of
 * Debian 12 answered once (recorded.json), everywhere, and a part of it what this
 * machine's answer now, where it has the very same.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CASES } from './cases.ts';
import { here } from './here.ts';
import { type Answer, hasCommand, native } from './native.ts';

const source = fileURLToPath(new URL('./recorded.json', import.meta.url));
const recorded = JSON.parse(readFileSync(source, 'utf8')) as Record<string, Answer>;
/** So many of the scripts are asked of the machine's own tools again; all are when they are recorded. */
const EVERY = 30;

describe('commands answer what the real ones answered', () => {
  test.each(Object.entries(CASES))(
    '%s',
    async (_subject, scripts) => {
      expect(scripts.length).toBeGreaterThan(0);
      const wrong: unknown[] = [];
      for (const script of scripts) {
        const wanted = recorded[script];
        const { answer, stderr } = await here(script);
        if (JSON.stringify(answer) !== JSON.stringify(wanted)) {
          wrong.push({ script, wanted, answer, stderr });
        }
      }
      expect(wrong).toEqual([]);
    },
    60_000,
  );
});

const coreutils = spawnSync('sort', ['--version'], { encoding: 'utf8' }).stdout.split('\n')[0];
const same = coreutils === 'sort (GNU coreutils) 9.1';
if (!same) console.warn('skipped: no coreutils 9.1 on this machine to compare with');

test.skipIf(!same)(
  'the recording is what the real ones answer',
  () => {
    const cases = Object.entries(CASES).flatMap(([subject, scripts]) =>
      scripts.map((script) => [subject, script] as const),
    );
    expect(Object.keys(recorded)).toEqual(cases.map(([, script]) => script));
    for (const [subject, script] of cases.filter((_, i) => i % EVERY === 0)) {
      if (!hasCommand(subject)) continue;
      expect([script, native(script)]).toEqual([script, recorded[script]]);
    }
  },
  60_000,
);
