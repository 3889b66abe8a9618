/**
 * xz and bzip2 by 7-Zip, compiled to WebAssembly. Each run has an instance of its
 * own with files of its own, which only lie in its memory.
 */

import { createRequire } from 'node:module';
import { DefenseInDepthBox } from 'just-bash';
import { readVendored } from '../../src/vendored.ts';
import { CompressionError } from '../support/compression.ts';

export type SevenZipFormat = 'xz' | 'bzip2';

/** What is used of an instance. */
interface Instance {
  FS: {
    writeFile(path: string, data: Uint8Array): void;
    readFile(path: string): Uint8Array;
    readdir(path: string): string[];
  };
  callMain(args: string[]): number;
}

type Open = (options: {
  wasmBinary: Uint8Array;
  print(line: string): void;
  printErr(line: string): void;
}) => Promise<Instance>;

/** Makes instances; the binary is read once. */
export class SevenZip {
  #binary: Buffer | undefined;

  /** @param level 0 to 9, as xz and bzip2 have them */
  async compress(data: Buffer, format: SevenZipFormat, level: number): Promise<Buffer> {
    const method =
      format === 'xz' ? [`-mx=${Math.max(1, level)}`] : [`-md=${Math.max(1, level)}00k`];
    return this.#run(async (instance) => {
      instance.FS.writeFile('/in', data);
      const status = instance.callMain(['a', `-t${format}`, '-mmt=1', ...method, '/out', '/in']);
      const made = instance.FS.readdir('/').find((name) => name.startsWith('out'));
      if (status !== 0 || made === undefined)
        throw new CompressionError(`status ${status} of 7-Zip`);
      return Buffer.from(instance.FS.readFile(`/${made}`));
    });
  }

  /** Fails with {@link CompressionError} where the data is broken or cut off. */
  async decompress(data: Buffer, format: SevenZipFormat): Promise<Buffer> {
    return this.#run(async (instance, said) => {
      instance.FS.writeFile('/in', data);
      const status = instance.callMain(['x', `-t${format}`, '-mmt=1', '-y', '-o/out', '/in']);
      if (status !== 0) {
        const cut = said.some((line) => /Unexpected end/i.test(line));
        throw new CompressionError(cut ? 'Unexpected end of input' : 'Compressed data is corrupt');
      }
      const [name] = instance.FS.readdir('/out').filter((each) => each !== '.' && each !== '..');
      return name === undefined
        ? Buffer.alloc(0)
        : Buffer.from(instance.FS.readFile(`/out/${name}`));
    });
  }

  #run(work: (instance: Instance, said: readonly string[]) => Promise<Buffer>): Promise<Buffer> {
    // The sandbox of a running command makes no WebAssembly; this is code of ours.
    return DefenseInDepthBox.runTrustedAsync(async () => {
      const path = createRequire(import.meta.url).resolve('7z-wasm/7zz.wasm');
      this.#binary ??= readVendored(path);
      const { default: open } = (await import('7z-wasm')) as unknown as { default: Open };
      const said: string[] = [];
      const say = (line: string): void => void said.push(line);
      const instance = await open({ wasmBinary: this.#binary, print: say, printErr: say });
      return work(instance, said);
    });
  }
}
