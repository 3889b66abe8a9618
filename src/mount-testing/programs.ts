/** Programs of a mount: what help, wrong words, a call, a dry run and a lost answer come to. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import type { CallEffect } from '../mount/contract/program.ts';
import { called, type JournalledMount, planned } from './bench.ts';
import type { LineFault, Subject, TestedCall } from './subject.ts';
import { stateOf } from './truth.ts';

const KINDS = ['lost-answer', 'cut', 'cut-body', 'server-error'] as const;

/**
 * Calls programs: `--help` and words that do not fit send nothing; a call is made once, and is in the
 * journal unless it is known to read only; in a dry run it waits; one whose answer was lost is made
 * once at most, and is not sent again by itself.
 * @returns how many calls were disturbed
 * @throws AssertionError naming the call and what does not hold
 */
export async function programs<Held>(
  subject: Subject<Held>,
  calls: readonly TestedCall<Held>[],
): Promise<number> {
  let disturbed = 0;
  for (const call of calls) {
    try {
      await explained(subject, call);
      const { effect, requests } = await carriedOut(subject, call);
      if (effect !== 'reads') await staged(subject, call);
      for (let skip = 0; skip < requests; skip++)
        for (const kind of KINDS) {
          await disturb(subject, call, effect, { kind, skip, times: 1 });
          disturbed += 1;
        }
    } catch (cause) {
      throw new Error(`${call.what}: ${String(cause)}`, { cause });
    }
  }
  return disturbed;
}

/** A mount that knows its programs: their directory was listed, as whoever calls one would. */
async function ready<Held>(mount: JournalledMount, { path }: TestedCall<Held>): Promise<void> {
  await mount.readdir(path.slice(0, path.lastIndexOf('/')) || '/');
  await mount.lstat(path);
}

async function explained<Held>(subject: Subject<Held>, call: TestedCall<Held>): Promise<void> {
  using bench = await subject.bench();
  const mount = bench.mount();
  await ready(mount, call);
  await subject.asked();
  const help = await called(mount, call.path, ['--help']);
  equal(help.exitCode, 0, '--help ends with status 0');
  notEqual(help.stdout, '', '--help says something');
  const refused = await called(mount, call.path, call.wrong);
  equal(refused.exitCode, 2, `${call.wrong.join(' ')} ends with status 2`);
  notEqual(refused.stderr, '', 'what is wrong is said on stderr');
  deepEqual(await subject.asked(), [], 'neither asks the service');
  equal(call.made(await subject.held()), 0, 'neither has an effect');
  equal(stateOf(mount), 'none', 'neither is a change');
}

async function carriedOut<Held>(
  subject: Subject<Held>,
  call: TestedCall<Held>,
): Promise<{ effect: CallEffect; requests: number }> {
  using bench = await subject.bench();
  const mount = bench.mount();
  await ready(mount, call);
  await subject.asked();
  const { effect, shown } = await planned(mount, call.path, call.args, call);
  deepEqual(await subject.asked(), [], 'planning asks the service nothing');
  match(shown, /\S/, 'what would be sent is shown');
  const { exitCode, stderr } = await called(mount, call.path, call.args, call);
  equal(exitCode, 0, `it ends with status 0: ${stderr}`);
  const requests = (await subject.asked()).length;
  ok(requests > 0, 'it sends a request');
  equal(call.made(await subject.held()), 1, 'it is made once');
  equal(stateOf(mount), effect === 'reads' ? 'none' : 'applied');
  return { effect, requests };
}

async function staged<Held>(subject: Subject<Held>, call: TestedCall<Held>): Promise<void> {
  using bench = await subject.bench();
  const mount = bench.mount({ stage: true });
  await ready(mount, call);
  const { exitCode, stdout } = await called(mount, call.path, call.args, call);
  deepEqual([exitCode, stdout], [1, ''], 'in a dry run there is no answer, and status 1');
  equal(call.made(await subject.held()), 0, 'in a dry run nothing is made');
  const [change] = mount.journal.list({ state: 'pending' });
  ok(change !== undefined, 'in a dry run it waits as a change');
  await mount.journal.apply([change.id]);
  deepEqual(
    [call.made(await subject.held()), stateOf(mount)],
    [1, 'applied'],
    'applied, it is made',
  );
}

async function disturb<Held>(
  subject: Subject<Held>,
  call: TestedCall<Held>,
  effect: CallEffect,
  fault: LineFault,
): Promise<void> {
  const what = `request ${(fault.skip ?? 0) + 1}, ${fault.kind}`;
  using bench = await subject.bench();
  const mount = bench.mount();
  await ready(mount, call);
  await subject.fault(fault);
  const failed = await called(mount, call.path, call.args, call).then(
    ({ exitCode }) => exitCode !== 0,
    () => true,
  );
  await subject.clearFaults();
  const made = call.made(await subject.held());
  const state = stateOf(mount);
  if (effect === 'reads') return equal(state, 'none', `${what}: what only reads is no change`);
  ok(made <= 1, `${what}: it was made ${made} times`);
  if (!failed)
    deepEqual([made, state], [1, 'applied'], `${what}: a call that did not fail is made`);
  else if (made === 1) equal(state, 'unknown', `${what}: made without an answer, it is ${state}`);
  else ok(['none', 'failed', 'unknown'].includes(state), `${what}: not made, it is ${state}`);
  await subject.asked();
  await mount.journal.recover();
  await mount.journal.settle(mount.journal.list({ state: 'unknown' }).map(({ id }) => id));
  const sent = (await subject.asked()).filter((one) => one.write);
  deepEqual(sent, [], `${what}: it is not sent again by itself`);
  equal(call.made(await subject.held()), made);
}
