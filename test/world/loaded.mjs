// Prints what each thread of a world loads, an address a line: run with this file as --import of
// both threads.
import { writeSync } from 'node:fs';
import module, { createRequire, syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const thread = isMainThread ? 'main' : 'worker';
module.registerHooks({
  load(url, context, next) {
    writeSync(1, `${thread} ${url}\n`);
    return next(url, context);
  },
});
// Node's own modules that no import names, such as those of fetch.
const told = new Set();
const watch = setInterval(() => {
  for (const name of process.moduleLoadList) {
    if (!told.has(name) && name.includes('undici')) writeSync(1, `${thread} ${name}\n`);
    told.add(name);
  }
}, 20);
watch.unref();
if (isMainThread) {
  const threads = createRequire(import.meta.url)('node:worker_threads');
  threads.Worker = class extends threads.Worker {
    constructor(file, { execArgv = [], ...options }) {
      super(file, { ...options, execArgv: [...execArgv, '--import', import.meta.url] });
    }
  };
  syncBuiltinESMExports();
}
