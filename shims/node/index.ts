/** node: scripts of JavaScript and TypeScript in an engine of their own, over the namespace, without a network. */
import { defineCommand } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import {
  besideModule,
  type Program,
  type ProgramState,
  runProgram,
} from '../support/program/run.ts';
import { Tool } from '../support/tool.ts';

/** What a script may take of memory. Bytes. */
const MEMORY_LIMIT = 512 * 1024 * 1024;

/** node, and the name that just-bash has for it. Options, `--help` among them, are read by the program itself. */
export const nodeShims: ShimFactory = (host) => {
  const state: ProgramState = { module: null, running: 0 };
  return ['node', 'nodejs', 'js-exec'].map((name) =>
    defineCommand(name, async (args, ctx) => {
      const tool = new Tool(name, args, host, ctx);
      await runProgram(tool, node(), state);
      return tool.result();
    }),
  );
};

function node(): Program {
  return {
    title: 'Node',
    worker: besideModule(import.meta.url, 'worker'),
    extra: { memoryLimit: MEMORY_LIMIT },
    // Only reads texts: what V8 says of a module that it cannot read.
    flags: ['--experimental-vm-modules'],
    heapMib: 256,
    stackMib: 48,
    mostAtOnce: 4,
  };
}
