/** `dirigent session` without a process of its own. */
import { expect } from 'vitest';
import { installation } from '../../entry/installation.ts';
import { parseInvocation } from '../../src/cli/options.ts';
import { Output } from '../../src/cli/output.ts';
import { runSession } from '../../src/cli/session.ts';

/** Runs a line of the command line as its process would; gives stdout. */
export async function inProcess(args: string[]): Promise<string> {
  const printed = { out: '', err: '' };
  const options = parseInvocation(args, installation.schemes);
  if (options.action !== 'session') throw new Error(`${args.join(' ')} is no session command`);
  const print = (to: 'out' | 'err') => async (data: string | Uint8Array) => {
    printed[to] += data.toString();
    return true;
  };
  const status = await runSession(
    options,
    new Output({
      out: print('out'),
      err: print('err'),
      outIsTerminal: false,
      errIsTerminal: false,
    }),
    installation,
  );
  const unexpected = printed.err.replace(/^open it with.*\n/, '');
  expect([status, unexpected], args.join(' ')).toEqual([0, '']);
  return printed.out;
}
