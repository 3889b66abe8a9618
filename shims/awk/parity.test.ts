/**
 * awk answers what gawk answers: what it answered once (testing/recorded.json),
 * everywhere, and what this machine's answers now, where there is one.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { type Answer, GAWK, gawkVersion, inGawk } from './testing/gawk.ts';
import { FILES, SCRIPTS } from './testing/scripts.ts';

interface Recording {
  /** The version that answered. */
  about: string;
  answers: Record<string, Answer>;
}

const source = fileURLToPath(new URL('./testing/recorded.json', import.meta.url));
const recording = JSON.parse(readFileSync(source, 'utf8')) as Recording;
const same = GAWK !== '' && gawkVersion().slice(0, 11) === recording.about.slice(0, 11);
if (!same)
  console.warn(`skipped: no ${recording.about.slice(0, 11)} on this machine to compare with`);

/** So many of the scripts are asked of the machine's gawk again; all are when they are recorded. */
const EVERY = 25;

async function here(script: string): Promise<{ answer: Answer; stderr: string }> {
  const files = Object.fromEntries(
    Object.entries(FILES).map(([name, content]) => [`/work/${name}`, content]),
  );
  const env = { LC_ALL: 'C.UTF-8', TZ: 'UTC' };
  const world = await inProcessWorld({ roots: ['/work'], files, cwd: '/work', env });
  const { stdout, stderr, exitCode } = await world.shell.exec(script, { deadlineMs: 20_000 });
  return {
    answer: [Buffer.from(stdout).toString('latin1'), exitCode],
    stderr: Buffer.from(stderr).toString(),
  };
}

describe('awk answers what gawk answered', () => {
  test.each(Object.entries(SCRIPTS))(
    '%s',
    async (_subject, scripts) => {
      expect(scripts.length).toBeGreaterThan(0);
      const wrong: unknown[] = [];
      for (const script of scripts) {
        const wanted = recording.answers[script];
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

test.skipIf(!same)('the recording is what gawk answers', () => {
  const scripts = Object.values(SCRIPTS).flat();
  expect(Object.keys(recording.answers)).toEqual(scripts);
  for (const script of scripts.filter((_, i) => i % EVERY === 0)) {
    expect([script, inGawk(script)]).toEqual([script, recording.answers[script]]);
  }
});
