/**
 * Loaded before anything else: ends this process by SIGKILL at one exact moment
 * that its own address names (`?at=entry+3`), in
 * whichever thread that comes. `entry N`: the Nth line of a log has just been written.
 * `sent` and `answered`: a request that changes something has left, or its
 * answer is there and nobody has read it yet.
 */
import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

// A worker of ours takes no flags of its process: it is told to load this by itself.
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(file, options) {
    const execArgv = [...(options.execArgv ?? []), '--import', import.meta.url];
    super(file, { ...options, execArgv });
  }
};
syncBuiltinESMExports();

const [what, count] = (new URL(import.meta.url).searchParams.get('at') ?? '').split(' ');
const kill = () => process.kill(process.pid, 'SIGKILL');

if (what === 'entry') {
  const { writeSync } = fs;
  let lines = 0;
  fs.writeSync = (descriptor, data, ...rest) => {
    const written = writeSync(descriptor, data, ...rest);
    if (fs.readlinkSync(`/proc/self/fd/${descriptor}`).endsWith('/log.jsonl')) {
      lines += Buffer.from(data).filter((byte) => byte === 0x0a).length;
      if (lines >= Number(count)) kill();
    }
    return written;
  };
}

/** Model requests are posts, too, but of another thread. */
const changes = ({ request }) =>
  request.method !== 'GET' && !request.path.endsWith('/chat/completions');
if (what === 'sent')
  subscribe('undici:client:sendHeaders', (message) => changes(message) && kill());
if (what === 'answered')
  subscribe('undici:request:headers', (message) => changes(message) && kill());
