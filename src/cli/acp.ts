/** `dirigent acp`: the agent of the world, for an editor that starts it. */
import { Readable, Writable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import { packageVersion } from '../version.ts';
import { visible, visibleMessage } from '../visible.ts';
import type { AcpArguments } from './door-options.ts';
import type { Installation } from './installation.ts';
import { type Output, processStdout } from './output.ts';
import { askedToEnd } from './signals.ts';
import { stdinKind } from './stdin.ts';

/** Runs `dirigent acp` until its editor has gone or a signal comes. */
export async function runAcp(
  options: AcpArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const say = (line: string): void => void output.err(visible`dirigent: ${visibleMessage(line)}\n`);
  const { doorwayOf } = await import('./doorway.ts');
  const { ndJsonStream } = await import('@agentclientprotocol/sdk');
  const { createAcpAgent } = await import('../doors/acp/agent.ts');
  if (stdinKind() === 'terminal')
    say(
      'this is for an editor that speaks ACP (Zed, JetBrains, Neovim), which starts it itself; docs/doors.md has what to write into its settings. Ctrl-D ends it',
    );
  await using doorway = await doorwayOf('acp', options, output, installation, worker);
  const { agent, model, editor } = options;
  const acp = createAcpAgent({
    doorway,
    version: packageVersion(),
    onNotice: say,
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(editor === undefined ? {} : { editor }),
  });
  const stream = ndJsonStream(
    Writable.toWeb(processStdout()) as WritableStream<Uint8Array>,
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  );
  doorway.announce('stdio');
  const connection = acp.app.connect(stream);
  askedToEnd().then(() => connection.close());
  await connection.closed;
  await acp.close();
  return 0;
}
