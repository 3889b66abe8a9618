import { expect, it } from 'vitest';
import { visible } from '../visible.ts';
import { Output } from './output.ts';
import { NO_STATUS_LINE, statusLine } from './status-line.ts';

/** What a terminal gets when something is asked after these lines. */
async function shown(...before: Parameters<Output['err']>[0][]): Promise<string> {
  let all = '';
  const take = async (data: string | Uint8Array): Promise<boolean> => {
    all += data.toString();
    return true;
  };
  const output = new Output({ out: take, err: take, errIsTerminal: true, outIsTerminal: true });
  for (const text of before) await output.err(text);
  await output.whileAsking((say) => say(visible`sure? `));
  return all;
}

it('a question begins on a line of its own', async () => {
  expect(await shown()).toBe('sure? ');
  expect(await shown(visible`done\n`)).toBe('done\nsure? ');
  expect(await shown(visible`half of a line`)).toBe('half of a line\nsure? ');
});

it('where a line of progress was taken away a question takes its place, and below one that stands', async () => {
  const progress = statusLine(visible`running 1 s`);
  expect(await shown(progress, NO_STATUS_LINE)).toMatch(/running 1 s\S*\r\S*sure\? $/);
  expect(await shown(progress)).toMatch(/running 1 s\S*\nsure\? $/);
});
