/** Prompts with a date: written by an agent as files, carried out once. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseScheduled, readSchedule, takeScheduled } from '../../src/agent/schedule.ts';
import { cli } from '../cli/run-cli.ts';
import { says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { testModel } from './support.ts';

describe('the schedule', () => {
  test.each([
    ['at: 2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z'],
    ['at: 2026-12-01T09:00:00+02:00', '2026-12-01T07:00:00.000Z'],
    ['at: "2026-12-01"', '2026-12-01T00:00:00.000Z'],
  ])('%s is %s', (field, iso) => {
    const parsed = parseScheduled(`---\n${field}\n---\nDo it.\n`);
    expect(typeof parsed === 'string' ? parsed : parsed.at.toISOString()).toBe(iso);
  });

  test.each([
    ['Do it.', 'frontmatter'],
    ['---\nwhen: now\n---\nDo it.', 'at:'],
    ['---\nat: tomorrow\n---\nDo it.', 'at:'],
    ['---\nat: 2026-12-01\n---\n', 'no prompt'],
    ['---\nat: [\n---\nx', 'no YAML'],
  ])('%j is refused, and says why', (text, fault) => {
    expect(parseScheduled(text)).toContain(fault);
  });

  test('what is due is run once, by one process; what is not, waits; what is broken is told', async () => {
    const home = temporaryDirectory();
    const state = join(home, 'dirigent');
    const world = testWorld({ state });
    const write = (name: string, at: string) =>
      world.exec(
        `printf -- '---\\nat: ${at}\\n---\\nprompt of ${name}\\n' > /session/schedule/${name}.md`,
      );
    expect((await write('due', '2020-01-01T00:00:00Z')).stderr).toBe('');
    await write('later', '2999-01-01T00:00:00Z');
    await write('broken', 'someday');
    await world.close();
    const model = await testModel([says('did it')]);
    const env = { XDG_STATE_HOME: home, OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' };
    const first = await cli(['schedule', 'run'], { env });
    expect(first.stdout.toString()).toBe('did it\n');
    expect(first.stderr).toContain('/session/schedule/broken.md: at:');
    expect(first.status).toBe(1);
    expect(textOf(model.requests[0]?.messages.at(-1) ?? { role: 'user', content: '' })).toBe(
      'prompt of due',
    );
    await cli(['schedule', 'run'], { env });
    expect(model.requests).toHaveLength(1);
    const directory = join(state, 'schedule');
    expect(readdirSync(join(directory, 'done'))).toEqual([expect.stringMatching(/-due\.md$/)]);
    expect(existsSync(join(directory, 'later.md'))).toBe(true);
    // A process that was killed in the middle leaves it here, and nobody takes it again.
    expect([takeScheduled(directory, 'later.md'), takeScheduled(directory, 'later.md')]).toEqual([
      true,
      false,
    ]);
    expect(readSchedule(directory).entries).toMatchObject([{ name: 'later.md', state: 'running' }]);
    const list = await cli(['schedule'], { env });
    expect(list.stdout.toString()).toContain('interrupted               later.md  prompt of later');
  }, 60_000);
});
