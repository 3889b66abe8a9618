/** sqlite3: SQLite as WebAssembly with its command line, over the namespace. */
import { defineCommand } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import {
  besideModule,
  type Program,
  type ProgramState,
  runProgram,
} from '../support/program/run.ts';
import { Tool } from '../support/tool.ts';

/** sqlite3. */
export const sqlite3Shims: ShimFactory = (host) => {
  const state: ProgramState = { module: null, running: 0 };
  return [
    defineCommand('sqlite3', async (args, ctx) => {
      const tool = new Tool('sqlite3', args, host, ctx);
      await runProgram(tool, sqlite3(), state);
      return tool.result();
    }),
  ];
};

function sqlite3(): Program {
  return {
    title: 'SQLite',
    worker: besideModule(import.meta.url, 'worker'),
    heapMib: 512,
    mostAtOnce: 8,
  };
}
