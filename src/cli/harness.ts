/** `dirigent harness`: what is wrong with it, and what agents propose to change in it. */
import { join } from 'node:path';
import { ConfigError } from '../errors.ts';
import { errorsText, inspectHarness } from '../harness/load.ts';
import {
  acceptProposal,
  listProposals,
  type ProposalDirectories,
  rejectProposal,
} from '../harness/proposals.ts';
import { visible, visibleLines, visibleMessage, visibleName } from '../visible.ts';
import { checkConfig } from '../world/config.ts';
import {
  defaultHarness,
  harnessDirectory,
  hostToolModules,
  PROPOSALS,
  stateDirectory,
} from '../world/plan.ts';
import { resolveId } from './ids.ts';
import type { HarnessArguments } from './options.ts';
import type { Output } from './output.ts';
import { suggested } from './place.ts';
import { setUpWorld } from './setup.ts';

/** Runs `dirigent harness`, and gives its exit status. */
export async function runHarness(options: HarnessArguments, output: Output): Promise<number> {
  const { config, deployment } = await setUpWorld(options, process.cwd());
  const host = { cwd: process.cwd(), env: process.env, deployment };
  const checked = checkConfig(config);
  const directories: ProposalDirectories = {
    own: harnessDirectory(checked, host),
    defaults: defaultHarness(),
    proposals: join(stateDirectory(checked, host), PROPOSALS),
  };
  switch (options.verb) {
    case 'check': {
      const errors = inspectHarness(directories, new Set(hostToolModules(checked, host)));
      const text =
        errors.length === 0 ? visible`nothing is wrong\n` : visibleLines(errorsText(errors));
      await (options.json ? output.json(errors, 2) : output.out(text));
      return errors.length === 0 ? 0 : 1;
    }
    case 'diff':
      return diff(directories, options, output);
    case 'accept':
    case 'reject':
      return act(directories, options, output);
  }
}

async function diff(
  directories: ProposalDirectories,
  { paths, json, given }: HarnessArguments,
  output: Output,
): Promise<number> {
  const { proposals, errors } = listProposals(directories);
  const named = proposalsNamed(
    proposals.map(({ path }) => path),
    paths,
    given,
  );
  const wanted = proposals.filter(({ path }) => paths.length === 0 || named.includes(path));
  for (const { path, message } of errors)
    await output.err(
      visible`dirigent: ${visibleName(`/harness/proposals/${path}`)}: ${visibleMessage(message)}\n`,
    );
  for (const { path, error } of wanted)
    if (error !== null)
      await output.err(visible`dirigent: ${visibleName(path)}: ${visibleMessage(error)}\n`);
  const patches = wanted.map(({ patch }) => patch).join('');
  const columns = output.columns('stdout');
  await (json
    ? output.json(wanted, 2)
    : output.out(visibleLines(patches, { columns, patch: true })));
  return 0;
}

/** The proposals that paths name, as the world has them, or enough of them. @throws FsError */
function proposalsNamed(
  all: readonly string[],
  paths: readonly string[],
  given: HarnessArguments['given'],
): string[] {
  const choice = { what: 'proposal', names: suggested(given, 'harness diff') };
  return paths.map((path) =>
    resolveId(all, path.replace(/^\/harness\/(?:proposals\/)?/, ''), choice),
  );
}

async function act(
  directories: ProposalDirectories,
  { verb, paths, given }: HarnessArguments,
  output: Output,
): Promise<number> {
  let status = 0;
  const { proposals, errors } = listProposals(directories);
  const all = [...proposals, ...errors].map(({ path }) => path);
  for (const path of proposalsNamed(all, paths, given)) {
    try {
      if (verb === 'accept') acceptProposal(directories, path);
      else rejectProposal(directories, path);
      await output.out(visible`${visibleName(path)} ${verb}ed\n`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      await output.err(visible`dirigent: ${visibleMessage(error.message)}\n`);
      status = 1;
    }
  }
  return status;
}
