/** `node examples/research/main.ts [QUESTION]`: a question in, an answer with citations out. */
import { env } from 'node:process';
import { runCli } from '../../src/cli/run.ts';
import { calls, freshState, inTurn, says, useModel } from '../scripted.ts';

const [question = 'What does a mount mode of stage mean?'] = process.argv.slice(2);

/** The hits `path:line:text` of a search, the best first. */
const hitsOf = (result: string) =>
  [...result.matchAll(/^(\/[^:\n]+):(\d+):(.*)$/gm)].map(([, path = '', line = '', text = '']) => ({
    path,
    line,
    text,
  }));

await useModel(
  inTurn(
    () => calls(['bash', { command: `grep ${JSON.stringify(question)} /mnt/docs` }]),
    ([hits = '']) => {
      const [best] = hitsOf(hits);
      if (best === undefined) return says('The documents say nothing about it.');
      return calls(['read', { path: best.path, offset: Number(best.line), limit: 3 }]);
    },
    ([hits = '']) => {
      const cited = hitsOf(hits).slice(0, 2);
      const lines = cited.map(({ path, line, text }) => `- "${text.trim()}" (${path}:${line})`);
      return says(`The documents say:\n\n${lines.join('\n')}`);
    },
  ),
);
env['DIRIGENT_EXAMPLE_STATE'] = freshState();
await runCli(['run', '--deployment', import.meta.dirname, question]);
