/** `node examples/browse/main.ts`: an agent looks around three services and a knowledge base, by shell alone. */
import { env } from 'node:process';
import { installation } from '../../entry/installation.ts';
import { runCli } from '../../src/cli/run.ts';
import { startGithubStandIn } from '../../test/stand-ins/github/index.ts';
import { startLinearStandIn } from '../../test/stand-ins/linear/index.ts';
import { startNotionStandIn } from '../../test/stand-ins/notion/index.ts';
import { calls, freshState, inTurn, says, useModel } from '../scripted.ts';

const PROMPT =
  'What is open on GitHub and in Linear, what is in Notion, and where are the documents?';

function announce(name: string, { url, token }: { url: string; token: string }): void {
  env[`DIRIGENT_EXAMPLE_${name}_URL`] = url;
  env[`DIRIGENT_EXAMPLE_${name}_TOKEN`] = token;
}

/** Without the marks around text of a service. */
const plain = (result = ''): string =>
  result
    .split('\n')
    .filter((line) => !/^<\/?untrusted |^The text between the marks/.test(line))
    .join('\n');

const step = (command: string) => () => calls(['bash', { command }]);

await useModel(
  inTurn(
    step('ls /mnt /mnt/github/*'),
    step('cat /mnt/github/harbor/*/issues/index.tsv | grep -c open'),
    step('ls /mnt/linear/teams; head -n 3 /mnt/linear/teams/INC/issues/index.tsv'),
    step('head -n 6 /mnt/notion/index.tsv | cut -f 2'),
    step('ls /mnt/docs'),
    ([, issues, linear, notion, docs]) =>
      says(
        `GitHub has ${plain(issues).trim()} open issues.\n\nLinear has the teams ${plain(linear).split('\n').slice(0, 2).join(' and ')}.\n\nNotion has the pages ${plain(notion).trim().split('\n').slice(1).join(', ')}.\n\nThe documents are ${plain(docs).split('\n').join(', ')}.`,
      ),
  ),
);
env['DIRIGENT_EXAMPLE_STATE'] = freshState();
const [github, linear, notion] = await Promise.all([
  startGithubStandIn(),
  startLinearStandIn(),
  startNotionStandIn(),
]);
announce('GITHUB', github);
announce('LINEAR', linear);
announce('NOTION', notion);
const asked = process.argv.length > 2 ? process.argv.slice(2) : [PROMPT];
await runCli(['run', '--deployment', import.meta.dirname, ...asked], installation);
