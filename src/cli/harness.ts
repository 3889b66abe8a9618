/** `dirigent harness`: what is wrong with it, and what agents propose to change in it. */
import { dirname, join } from 'node:path';
import { shellWord } from '../command-line.ts';
import { ConfigError } from '../errors.ts';
import { errorsText, inspectHarness } from '../harness/load.ts';
import {
  acceptProposal,
  findProposal,
  listProposals,
  type Proposal,
  type ProposalDirectories,
  rejectProposal,
} from '../harness/proposals.ts';
import { digestShown, forgetShown, noteShown } from '../harness/shown.ts';
import { vouchFor } from '../policy/host-marks.ts';
import { loadChannels } from '../serve/channels/load.ts';
import {
  joined,
  type VisibleText,
  visible,
  visibleLines,
  visibleMessage,
  visibleName,
} from '../visible.ts';
import { checkConfig } from '../world/config.ts';
import {
  defaultHarness,
  harnessDirectory,
  hostToolModules,
  PROPOSALS,
  stateDirectory,
} from '../world/plan.ts';
import { channelPlaces } from './channels.ts';
import { type Confirm, terminalConfirm } from './confirm.ts';
import { resolveId } from './ids.ts';
import type { Installation } from './installation.ts';
import type { HarnessArguments, WorldArguments } from './options.ts';
import type { Output } from './output.ts';
import { suggested } from './place.ts';
import { setUpWorld } from './setup.ts';

/** Runs `dirigent harness`, and gives its exit status. */
export async function runHarness(
  options: HarnessArguments,
  output: Output,
  installation: Installation,
): Promise<number> {
  const { checked, host, state, directories } = await harnessOf(options, installation);
  const shown = join(state, SHOWN);
  switch (options.verb) {
    case 'check': {
      const places = await channelPlaces(
        { checked, host, directories },
        options,
        output,
        installation,
      );
      const errors = [
        ...inspectHarness(directories, new Set(hostToolModules(checked, host))),
        ...(await loadChannels(places)).errors,
      ];
      const text =
        errors.length === 0 ? visible`nothing is wrong\n` : visibleLines(errorsText(errors));
      await (options.json ? output.json(errors, 2) : output.out(text));
      return errors.length === 0 ? 0 : 1;
    }
    case 'diff':
      return diff(directories, shown, options, output);
    case 'accept':
    case 'reject': {
      const confirm = options.yes ? null : terminalConfirm(output);
      return actOnProposals({ directories, shown, confirm }, options, output);
    }
  }
}

/** The harness of a deployment, and where proposals to it are. @throws ConfigError */
export async function harnessOf(options: WorldArguments, installation: Installation) {
  const { config, deployment } = await setUpWorld(options, installation, process.cwd());
  const host = { cwd: process.cwd(), env: process.env, deployment };
  const checked = checkConfig(await installation.sources(), config);
  const state = stateDirectory(checked, host);
  const directories: ProposalDirectories = {
    own: harnessDirectory(checked, host),
    defaults: defaultHarness(),
    proposals: join(state, PROPOSALS),
  };
  return { checked, host, state, directories };
}

/** In the state directory: what was shown of the proposals. */
const SHOWN = 'proposals-shown.json';

async function diff(
  directories: ProposalDirectories,
  shown: string,
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
  const columns = output.columns('stdout');
  await (json
    ? output.json(wanted, 2)
    : output.out(joined(wanted.map((each) => proposalText(each, columns)))));
  noteShown(shown, wanted);
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

/** A proposal as it is shown: its patch, below the digest that `accept` takes. */
function proposalText({ digest, patch }: Proposal, columns: number | undefined): VisibleText {
  return visible`digest: ${digest}\n${visibleLines(patch, { columns, patch: true })}`;
}

/** Where proposals are decided on. */
export interface ProposalDesk {
  directories: ProposalDirectories;
  /** Where what was shown is kept. */
  shown: string;
  /** null where nobody is there to be asked. */
  confirm: Confirm | null;
}

type Decision = Pick<HarnessArguments, 'verb' | 'paths' | 'digest' | 'given'>;

/** What `accept` and `reject` do, in any directories. */
export async function actOnProposals(
  desk: ProposalDesk,
  decision: Decision,
  output: Output,
): Promise<number> {
  const { verb, paths, given } = decision;
  let status = 0;
  const { proposals, errors } = listProposals(desk.directories);
  const all = [...proposals, ...errors].map(({ path }) => path);
  for (const path of proposalsNamed(all, paths, given)) {
    try {
      if (verb === 'reject') rejectProposal(desk.directories, path);
      else if (!(await accept(desk, path, decision, output))) {
        await output.err(visible`dirigent: ${visibleName(path)} was not accepted\n`);
        status = 1;
        continue;
      }
      const { own, proposals: kept } = desk.directories;
      if (verb === 'accept' && own !== null) vouchFor(dirname(kept), own, path);
      forgetShown(desk.shown, path);
      await output.out(visible`${visibleName(path)} ${verb}ed\n`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const diff = suggested(given, `harness diff ${shellWord(path)}`);
      await output.err(
        visible`dirigent: ${visibleMessage(error.message)}\n"${diff}" shows what is proposed\n`,
      );
      status = 1;
    }
  }
  return status;
}

/**
 * Accepts a proposal as it is shown now, as it was shown last, or as its digest says.
 * @returns false where the person at the terminal said no
 * @throws ConfigError where it is another one by now, or nobody has looked at it
 */
async function accept(
  { directories, shown: seen, confirm }: ProposalDesk,
  path: string,
  { digest, given }: Decision,
  output: Output,
): Promise<boolean> {
  // Where there is none, that is what is wrong with it.
  const proposal = findProposal(directories, path);
  if (digest !== undefined || confirm === null) {
    const known = digest ?? digestShown(seen, path);
    if (known === null)
      throw new ConfigError(
        path,
        `nobody was shown what would be accepted: look at it with "${suggested(given, 'harness diff')}", and accept it then, or name what you have seen with --digest`,
      );
    acceptProposal(directories, path, known);
    return true;
  }
  const shown = proposalText(proposal, output.columns('stderr'));
  if (!(await confirm(shown, visible`accept ${visibleName(path)}?`))) return false;
  acceptProposal(directories, path, proposal.digest);
  return true;
}
