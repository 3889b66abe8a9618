/** python3, python: CPython as WebAssembly, over the namespace, without a network. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineCommand } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import {
  besideModule,
  type Program,
  type ProgramState,
  runProgram,
} from '../support/program/run.ts';
import { Tool } from '../support/tool.ts';

/** What Python may take of memory. Bytes. */
const MEMORY_LIMIT = 512 * 1024 * 1024;

/** python3 and python. Options, `--help` among them, are read by Python itself. */
export const pythonShims: ShimFactory = (host) => {
  const state: ProgramState = { module: null, running: 0 };
  return ['python3', 'python'].map((name) =>
    defineCommand(name, async (args, ctx) => {
      const tool = new Tool(name, args, host, ctx);
      await runProgram(tool, python(), state);
      return tool.result();
    }),
  );
};

function python(): Program {
  return {
    title: 'Python',
    worker: besideModule(import.meta.url, 'worker'),
    extra: { directory: cpythonDirectory(), memoryLimit: MEMORY_LIMIT },
    heapMib: 256,
    mostAtOnce: 4,
  };
}

/** The directory of CPython in the package of just-bash. */
function cpythonDirectory(): string {
  const entry = fileURLToPath(import.meta.resolve('just-bash'));
  return `${dirname(dirname(dirname(entry)))}/vendor/cpython-emscripten`;
}
