/** What a world needs of the process that it is made in. */
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../errors.ts';

/** The oldest Node, as `engines` in package.json has it. */
const OLDEST = [22, 22] as const;

/** What is asked about the process. */
export interface Runtime {
  versions: Readonly<Record<string, string | undefined>>;
  /** Does Node's permission model hold it back? */
  restricted: boolean;
}

/** Why no world can be made in such a process, in a sentence that says what to do; null where it can. */
export function runtimeFault({ versions, restricted }: Runtime): string | null {
  const { bun, deno, node = '' } = versions;
  const wanted = `Node ${OLDEST.join('.')} or newer`;
  if (bun !== undefined) {
    return `Bun ${bun} cannot guard the shell's interpreter, which needs hooks of Node's module loader; run this program with ${wanted}`;
  }
  // Deno names a version of Node that it is compatible with.
  if (deno === undefined) {
    const [major = 0, minor = 0] = node.split('.').map(Number);
    if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
      return `this is Node ${node}, and dirigent needs ${wanted}: install it from nodejs.org or with your version manager`;
    }
  }
  if (restricted) {
    return 'Node runs with --permission, which takes fsync away from it, and with that the log of a session; run it without that flag, and give the world its rights by mounts and policy';
  }
  return null;
}

/** The first module of a world's worker. @throws ConfigError where a bundler left it behind */
export function workerModule(): URL {
  // A bundle in CommonJS has no address of its own.
  const here: string | undefined = import.meta.url;
  const file =
    here === undefined
      ? null
      : new URL(`./worker-boot.${here.endsWith('.ts') ? 'ts' : 'js'}`, here);
  if (file === null || !existsSync(fileURLToPath(file))) {
    throw new ConfigError(
      '',
      `dirigent was put into a bundle, and its worker is a file that was left behind: keep the package out of it (esbuild --packages=external, externals of webpack, serverExternalPackages of Next), and installed beside it`,
    );
  }
  return file;
}

/** @throws ConfigError where no world can be made */
export function requireRuntime(): void {
  const { versions, permission } = process as NodeJS.Process & { permission?: object };
  const fault = runtimeFault({ versions, restricted: permission !== undefined });
  if (fault !== null) throw new ConfigError('', fault);
  workerModule();
}
