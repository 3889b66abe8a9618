/** The command index: tells what is indexed, or waits until all of it is. */
import { defineCommand } from 'just-bash';
import type { SentenceState } from '../../src/search/contract.ts';
import type { ShimFactory, ShimHost } from '../../src/shell/command.ts';
import { fileMessage } from '../grep/errors.ts';
import type { Outcome } from '../grep/run.ts';

const USAGE = 'usage: index [--wait] [--json] [PATH…]';

export const indexShims: ShimFactory = (host) => [
  defineCommand('index', (args, ctx) => run(args, host, ctx.cwd)),
];

async function run(args: readonly string[], host: ShimHost, cwd: string): Promise<Outcome> {
  const options = args.filter((arg) => arg.startsWith('-'));
  const wrong = options.find((option) => !['--wait', '--json', '--help'].includes(option));
  if (wrong !== undefined) {
    return { stdout: '', stderr: `index: no option ${wrong}\n${USAGE}\n`, exitCode: 2 };
  }
  if (options.includes('--help')) return { stdout: `${USAGE}\n`, stderr: '', exitCode: 0 };
  const operands = args.filter((arg) => !arg.startsWith('-'));
  let stdout = '';
  let stderr = '';
  for (const given of operands.length > 0 ? operands : ['/']) {
    const path = host.fs.resolvePath(cwd, given);
    try {
      await host.fs.stat(path);
      const state = await host.search.state([path], options.includes('--wait'));
      const { documents, chunks, pending, sentences } = state;
      stdout += options.includes('--json')
        ? `${JSON.stringify({ path: given, ...state })}\n`
        : `${given}: ${amount(documents, 'document')} in ${amount(chunks, 'chunk')} indexed, ${pending.toLocaleString('en')} not yet\n`;
      for (const each of state.failed ?? []) stderr += `index: ${each.path}: ${each.error}\n`;
      if (sentences === undefined) continue;
      if (!options.includes('--json')) stdout += vectorsLine(sentences);
      if (sentences.gaveUp) stderr += `index: ${sentences.trouble}\n`;
    } catch (error) {
      stderr += fileMessage('index', given, error);
    }
  }
  return { stdout, stderr, exitCode: stderr === '' ? 0 : 2 };
}

/** How the vectors stand: those of the whole index, since they are made of all of it. */
function vectorsLine({ model, vectors, pending, refused, replaces }: SentenceState): string {
  const all = vectors + pending + refused;
  const taken = refused === 0 ? '' : `, ${refused.toLocaleString('en')} not taken by the model`;
  const until = replaces === null ? '' : `; until then ${replaces} is in use`;
  return `vectors of ${model}: ${vectors.toLocaleString('en')} of ${all.toLocaleString('en')}${taken}${until}\n`;
}

const amount = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
