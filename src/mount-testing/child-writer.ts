/**
 * A process of its own that writes through a mount on a bench's state: what the trials of several
 * writers, and of killed ones, start. Arguments: how the mount is opened, the directory, then what to do:
 * - `append PATH ROUNDS NAME`: appends `NAME0`, `NAME1` … to a file, each after reading it again,
 *   and prints the lines that it was told are written;
 * - `write PATH TEXT STEP`: writes a file once, or removes it where TEXT is the word `null`; it ends
 *   as in a crash when it is at the step: a state of the change; `answered`, when the service did what
 *   it was sent; `before N` or `after N`, where N counts its requests from 1;
 * - `list PATH STEP`: lists a directory once, with the same steps, and prints how many names it has.
 */
import { join } from 'node:path';
import { ChangeJournal } from '../changes/journal.ts';
import { isFsError } from '../errors.ts';
import type { MountModule } from '../mount/service/module.ts';
import type { ServiceMount } from '../mount/service/service-mount.ts';
import { Replica } from '../replica/replica.ts';
import { carryOut } from './bench.ts';
import type { Opener } from './subject.ts';

const [told = '', directory = '', act = '', path = '', ...rest] = process.argv.slice(2);
const { module, token, ...given } = JSON.parse(told) as Opener;
const { default: open } = (await import(module)) as { default: MountModule };
const changes = new ChangeJournal(join(directory, 'changes.sqlite'));
const mount = (await open({
  ...given,
  ...(token === undefined ? {} : { token }),
  point: '/mnt/it',
  stage: false,
  freshMs: 0,
  background: false,
  onNotice: () => undefined,
  replica: new Replica(join(directory, 'replica.sqlite')),
  changes,
})) as ServiceMount;

async function append(rounds: number, line: string): Promise<void> {
  const told: string[] = [];
  for (let round = 0; round < rounds; round++) {
    try {
      const before = Buffer.from(await mount.read(path)).toString();
      await mount.write?.(path, Buffer.from(`${before}${line}${round}\n`));
      told.push(`${line}${round}`);
    } catch (error) {
      if (!isFsError(error) || error.code !== 'ESTALE') throw error;
    }
  }
  process.stdout.write(JSON.stringify(told));
}

async function writeUntil(text: string, step: string): Promise<void> {
  const reached = (now: string): void => {
    if (now === step) process.kill(process.pid, 'SIGKILL');
  };
  let sending = false;
  const requests = counting(reached, () => sending);
  changes.onChange(({ state }) => {
    reached(state);
    sending = state === 'unknown';
  });
  await carryOut(mount, path, text === 'null' ? null : text);
  // Nobody killed it: there is no such step.
  process.stdout.write(String(requests()));
}

async function list(step: string): Promise<void> {
  counting(
    (now) => {
      if (now === step) process.kill(process.pid, 'SIGKILL');
    },
    () => false,
  );
  process.stdout.write(String((await mount.readdir(path)).length));
}

/** Tells of each request that is sent, and that was answered. @returns how many there were */
function counting(reached: (now: string) => void, isSending: () => boolean): () => number {
  const send = globalThis.fetch;
  let requests = 0;
  // Every service's client takes the global one in the end.
  globalThis.fetch = async (...given) => {
    const n = ++requests;
    reached(`before ${n}`);
    const answer = await send(...given);
    reached(`after ${n}`);
    if (isSending()) reached('answered');
    return answer;
  };
  return () => requests;
}

const [one = '', two = ''] = rest;
if (act === 'append') await append(Number(one), two);
else if (act === 'list') await list(one);
else await writeUntil(one, two);
process.exit(0);
