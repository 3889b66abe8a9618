/** `node examples/research/main.ts [QUESTION]`: a question in, an answer out whose citations were looked up. */
import { env } from 'node:process';
import { installation } from '../../entry/installation.ts';
import { runCli } from '../../src/cli/run.ts';
import { freshState, useModel } from '../scripted.ts';
import { assistant } from './assistant.ts';

const [question = 'What does a mount mode of stage mean?'] = process.argv.slice(2);

await useModel(assistant('/mnt/docs'));
env['DIRIGENT_EXAMPLE_STATE'] = freshState();
await runCli(['run', '--cite', '--deployment', import.meta.dirname, question], installation);
