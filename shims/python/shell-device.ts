/** The device through which `subprocess` has the world run a command: a request is written, its answer is read. */
import { z } from 'zod';
import { type Bridge, CallFailed } from '../support/program/bridge.ts';
import { numberOf } from '../support/wasi-errno.ts';
import { bytesOf, type EmscriptenFs, type FsStream } from './emscripten.ts';

/** Where it is, for {@link SITE_CUSTOMIZE}. */
const SHELL_DEVICE = '/dev/world-shell';

const requestSchema = z.strictObject({
  run: z.union([z.string(), z.array(z.string()).min(1)]),
  cwd: z.string(),
  env: z.record(z.string(), z.string()).nullable(),
  stdin: z.base64(),
});

/** Makes the device. */
export function shellDevice(fs: EmscriptenFs, bridge: Bridge): void {
  const dev = fs.makedev(200, 0);
  const requests = new WeakMap<FsStream, Uint8Array[]>();
  const answers = new WeakMap<FsStream, { bytes: Uint8Array; read: number }>();
  fs.registerDevice(dev, {
    write(stream, heap, offset, length) {
      const parts = requests.get(stream) ?? [];
      parts.push(bytesOf(heap, offset, length).slice());
      requests.set(stream, parts);
      return length;
    },
    read(stream, heap, offset, length) {
      let answer = answers.get(stream);
      if (answer === undefined) {
        answer = { bytes: ask(Buffer.concat(requests.get(stream) ?? [])), read: 0 };
        answers.set(stream, answer);
      }
      const part = answer.bytes.subarray(answer.read, answer.read + length);
      bytesOf(heap, offset, part.length).set(part);
      answer.read += part.length;
      return part.length;
    },
    llseek: () => 0,
  });
  fs.mkdev(SHELL_DEVICE, 0o600, dev);

  /** Whoever opens the device by itself may write anything. */
  function parse(request: Buffer): z.infer<typeof requestSchema> {
    try {
      return requestSchema.parse(JSON.parse(request.toString()));
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof z.ZodError)
        throw new fs.ErrnoError(numberOf('EINVAL'));
      throw error;
    }
  }

  function ask(request: Buffer): Uint8Array {
    const { stdin, ...command } = parse(request);
    try {
      const ran = bridge.call('exec', { ...command, stdin: Buffer.from(stdin, 'base64') });
      return Buffer.from(
        JSON.stringify({
          status: ran.status,
          stdout: Buffer.from(ran.stdout).toString('base64'),
          stderr: Buffer.from(ran.stderr).toString('base64'),
        }),
      );
    } catch (error) {
      if (error instanceof CallFailed) throw new fs.ErrnoError(numberOf(error.errno));
      throw error;
    }
  }
}
