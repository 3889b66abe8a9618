/** The command index: tells what is indexed, or waits until all of it is. */
import { defineCommand } from 'just-bash';
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
      const { documents, chunks, pending } = await host.search.state(
        [path],
        options.includes('--wait'),
      );
      stdout += options.includes('--json')
        ? `${JSON.stringify({ path: given, documents, chunks, pending })}\n`
        : `${given}: ${amount(documents, 'document')} in ${amount(chunks, 'chunk')} indexed, ${pending.toLocaleString('en')} not yet\n`;
    } catch (error) {
      stderr += fileMessage('index', given, error);
    }
  }
  return { stdout, stderr, exitCode: stderr === '' ? 0 : 2 };
}

const amount = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
