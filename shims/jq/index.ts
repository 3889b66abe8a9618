/** jq: the real one, over the namespace's files. */
import { DefenseInDepthBox, defineCommand } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { IO_VARIABLE } from '../../src/shell/shim-io.ts';
import { Tool } from '../support/tool.ts';
import { JqEngine, type JqRun } from './engine.ts';
import { FetchedFiles, NotFetched } from './files.ts';
import { inputFiles } from './operands.ts';

/** The most that it prints, which is what the shell takes. Bytes. */
const OUTPUT_LIMIT = 64 * 1024 * 1024;

async function jq(tool: Tool, engine: JqEngine): Promise<void> {
  const files = new FetchedFiles(tool);
  const environment = { ...tool.ctx.exportedEnv };
  // jq looks for a file of definitions there, each time.
  if (environment.HOME) await files.fetch({ what: 'kind', path: `${environment.HOME}/.jq` });
  const inputs = inputFiles(tool.args);
  if (inputs.readsAll) await fetchNext(files, inputs.paths, inputs.paths.length);
  const surroundings = {
    files,
    environment,
    colours: (tool.ctx.env.get(IO_VARIABLE) ?? '').includes('c'),
    outputLimit: OUTPUT_LIMIT,
  };
  for (let again = 0; ; again++) {
    tool.ctx.signal?.throwIfAborted();
    const run = attempt(() => engine.run(tool.args, surroundings));
    if (!(run instanceof NotFetched)) return show(tool, files, run);
    await files.fetch(run);
    // `input` may go through thousands of files: each time as many more are fetched ahead.
    if (inputs.paths.includes(run.path)) await fetchNext(files, inputs.paths, again);
  }
}

/** Fetches the first so many files that are not fetched yet. */
async function fetchNext(
  files: FetchedFiles,
  paths: readonly string[],
  count: number,
): Promise<void> {
  const next = paths.filter((path) => path !== '-' && !files.isFetched(path)).slice(0, count);
  for (const path of next) await files.fetch({ what: 'content', path });
}

function attempt(run: () => JqRun): JqRun | NotFetched {
  try {
    // No command may touch WebAssembly: this is code of ours.
    return DefenseInDepthBox.runTrusted(run);
  } catch (error) {
    if (error instanceof NotFetched) return error;
    throw error;
  }
}

function show(tool: Tool, files: FetchedFiles, run: JqRun): void {
  tool.write(run.stdout.toString('latin1'));
  tool.stderr = run.stderr.toString();
  for (const reason of files.reasons) tool.stderr += `dirigent: ${reason}\n`;
  tool.status = run.status;
}

/** jq. */
export const jqShims: ShimFactory = (host) => {
  let engine: Promise<JqEngine> | undefined;
  return [
    defineCommand('jq', async (args, ctx) => {
      engine ??= DefenseInDepthBox.runTrustedAsync(JqEngine.load);
      const tool = new Tool('jq', args, host, ctx);
      await jq(tool, await engine);
      return tool.result();
    }),
  ];
};
