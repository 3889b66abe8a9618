/** Prompts with a date: written by an agent as files, carried out once. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ScheduleJournal, scheduleFile } from '../../src/schedule/journal.ts';
import { parseScheduled, readSchedule } from '../../src/schedule/prompt.ts';
import { cli, startCli } from '../cli/run-cli.ts';
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
    expect(parsed).toMatchObject({ when: { at: new Date(iso) } });
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
    const after = testWorld({ state });
    const files = await after.exec('cd /session/schedule; ls; ls done; cat later.md');
    expect(files.stdout).toMatch(/^broken\.md\ndone\nlater\.md\n[\dT-]+Z-due\.md\n---\nat: 2999/);
    expect(files.stderr).toBe('');
  });

  test('files can be renamed, edited and removed; running and done are views; the log has every step', async () => {
    const world = testWorld();
    const run = async (command: string) => {
      const { stdout, stderr, exitCode } = await world.exec(`cd /session/schedule; ${command}`);
      return `${stdout}${stderr}${exitCode === 0 ? '' : exitCode}`;
    };
    expect(await run('ls; ls -a /session/schedule | wc -l; cat none')).toContain('No such file');
    expect(await run("printf 'one\\n' > a.tmp; echo two >> a.tmp; mv a.tmp a.md; ls")).toBe(
      'a.md\n',
    );
    expect(await run('sed -i s/two/three/ a.md; cat a.md; wc -c < a.md')).toBe('one\nthree\n10\n');
    expect(await run('mkdir sub')).toContain('1');
    expect(await run('echo x > done/x.md')).toMatch(/running and done are views|No such file/);
    expect(await run('rm a.md; ls')).toBe('');
    const steps = world.session
      .entries()
      .filter((entry) => entry['name'] === 'schedule/step')
      .map((entry) => entry['data'] as { name: string; state: string });
    expect(steps.at(-1)).toEqual({ name: 'a.md', state: 'removed' });
    expect(steps.map(({ name, state }) => `${name} ${state}`)).toContain('a.md waiting');
  });

  test('one process takes a prompt; one that is killed in the middle leaves it as interrupted, for nobody to run again', async () => {
    const home = temporaryDirectory();
    const state = join(home, 'dirigent');
    const world = testWorld({ state });
    await world.exec("printf -- '---\nat: 2020-01-01\n---\nwait\n' > /session/schedule/w.md");
    await world.close();
    const never = new Promise(() => undefined);
    const model = await testModel([{ parts: [{ text: 'x' }, { wait: never }] }]);
    const env = { XDG_STATE_HOME: home, OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' };
    const child = startCli(['schedule', 'run'], { env });
    await expect.poll(() => model.requests.length, { timeout: 30_000 }).toBe(1);
    const journal = new ScheduleJournal(scheduleFile(state));
    const [begun] = readSchedule(journal).entries;
    expect(begun?.entry.state).toBe('running');
    expect(begun === undefined ? true : journal.take(begun.entry)).toBe(false);
    journal.close();
    expect((await cli(['schedule'], { env })).stdout.toString()).toMatch(
      /^running +w\.md {2}wait\n/,
    );
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    expect((await cli(['schedule'], { env })).stdout.toString()).toMatch(
      /^interrupted +w\.md {2}wait\n/,
    );
    await cli(['schedule', 'run'], { env });
    expect(model.requests).toHaveLength(1);
  });
});
