/** python3, python: CPython as WebAssembly, over the namespace, without a network. */
import { DefenseInDepthBox, defineCommand } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { Tool } from '../support/tool.ts';
import { type Compiled, runPython } from './run.ts';

/** python3 and python. Options, `--help` among them, are read by Python itself. */
export const pythonShims: ShimFactory = (host) => {
  const compiled: Compiled = { module: null, running: 0 };
  return ['python3', 'python'].map((name) =>
    defineCommand(name, async (args, ctx) => {
      const tool = new Tool(name, args, host, ctx);
      // Commands may start no thread: this is code of ours.
      await DefenseInDepthBox.runTrustedAsync(() => runPython(tool, compiled));
      return tool.result();
    }),
  );
};
