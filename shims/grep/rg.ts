import type { NamespaceFs } from '../../src/namespace/types.ts';
import type { Outcome, Surroundings } from './run.ts';
export async function runRg(
  _fs: NamespaceFs,
  _args: readonly string[],
  _io: Surroundings,
): Promise<Outcome> {
  return { stdout: '', stderr: 'rg: not yet\n', exitCode: 2 };
}
