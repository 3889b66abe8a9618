/** watch: until something happens, or once. */
import { UsageError } from '../support/getopt.ts';
import type { Tool } from '../support/tool.ts';

export async function watch(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'bcd::egn:pq:rtwx',
    stopAtOperand: true,
    long: {
      beep: 'b',
      chgexit: 'g',
      color: 'c',
      differences: 'd::',
      equexit: 'q:',
      errexit: 'e',
      exec: 'x',
      interval: 'n:',
      'no-rerun': 'r',
      'no-title': 't',
      'no-wrap': 'w',
      precise: 'p',
    },
  });
  if (options.operands.length === 0) throw new UsageError('a command is needed');
  const interval = options.get('n') ?? '2';
  if (!/^\d*[.,]?\d+$/.test(interval))
    throw new UsageError(`failed to parse argument: '${interval}'`, { hint: false });
  const words = options.has('x') ? options.operands : ['sh', '-c', options.operands.join(' ')];
  const equal = options.has('q') ? Number(options.get('q')) : Infinity;
  const waits = options.has('g') || options.has('e') || options.has('q');
  let before: string | undefined;
  for (let same = 1; ; ) {
    const { stdout, stderr, exitCode } = await tool.spawn(words);
    const seen = stdout + stderr;
    const changed = before !== undefined && before !== seen;
    same = changed ? 1 : same + 1;
    const ends =
      !waits ||
      (options.has('g') && changed) ||
      (options.has('e') && exitCode !== 0) ||
      same > equal;
    if (ends) {
      tool.write(stdout);
      tool.stderr += stderr;
      if (!waits) {
        tool.warn(
          'run once: nothing redraws a screen here. watch -g COMMAND waits for a change, watch -e for a failure',
        );
      }
      tool.status = options.has('e') && exitCode !== 0 ? 8 : 0;
      return;
    }
    before = seen;
    await tool.spawn(['sleep', String(Math.max(0.1, Number(interval.replace(',', '.'))))]);
    await tool.pulse();
    tool.ctx.signal?.throwIfAborted();
  }
}
