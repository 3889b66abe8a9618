/** `dirigent verify`: the citations of an answer, looked up in the world. */
import fs from 'node:fs';
import { isAbsolute } from 'node:path';
import { isatty } from 'node:tty';
import type { Worker } from 'node:worker_threads';
import { certifiedAnswer, countsOf, reportLines, statusOf } from '../citations/report.ts';
import { type Verification, verifyAnswer } from '../citations/verify.ts';
import { visibleLines } from '../visible.ts';
import type { World } from '../world/world.ts';
import { UsageError } from './arguments.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { VerifyArguments } from './options.ts';
import type { Output } from './output.ts';
import { readToEnd } from './stdin.ts';

/** Runs `dirigent verify`, and gives its exit status. */
export async function runVerify(
  options: VerifyArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const world = await openWorld(options, installation, worker, output);
  const given = await answerOf(options.answer, world);
  // As a person at the shell reads: bound by the policy, and nobody is there to ask.
  const files = world.fsAs({ origin: 'shell', attended: false });
  const bases = [world.cwd, ...world.mounts.map(({ point }) => point), '/'];
  const verification = await verifyAnswer(given, { files, bases });
  if (options.json) await output.json(verificationJson(verification));
  else {
    const report = visibleLines(`${reportLines(verification).join('\n')}\n`);
    if (options.certify) {
      await output.out(visibleLines(certifiedAnswer(given, verification, new Date())));
      await output.err(report);
    } else await output.out(report);
  }
  await world.close();
  return statusOf(verification);
}

/** The answer: a file of the host, or of the world where the host has none of that name; or stdin. */
async function answerOf(file: string | undefined, world: World): Promise<string> {
  if (file === undefined) {
    if (isatty(0))
      throw new UsageError('verify', 'name the file of an answer, or give one on stdin');
    return new TextDecoder().decode(await readToEnd());
  }
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (isAbsolute(file) && isMissing(error) && (await world.fs.exists(file)))
      return new TextDecoder().decode(await world.fs.readFileBuffer(file));
    throw new UsageError('verify', `${file} cannot be read: ${(error as Error).message}`);
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** What programs are given. */
function verificationJson(verification: Verification): object {
  const { citations, sentences, uncited, notes } = verification;
  return {
    ...countsOf(verification),
    citations: citations.map(({ certified, ...each }) => ({
      ...each,
      ...(certified === undefined ? {} : { sha256: certified.sha256, updated: certified.updated }),
    })),
    sentences,
    uncited,
    notes,
  };
}
