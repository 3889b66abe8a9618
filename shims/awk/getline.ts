/** getline compiled: it reads the main input, a file, or what a command prints. */
import { andThen, type Code, later } from './code.ts';
import type { Compiler } from './compiler.ts';
import type { GetlineNode } from './syntax.ts';
import { Input, type Value } from './values.ts';

/** getline in its forms: how many records it read, or -1. */
export function compileGetline(
  compiler: Compiler,
  { source, target, from }: GetlineNode,
): Code<Value> {
  const { runtime } = compiler;
  const ref = target === null ? null : compiler.ref(target);
  const take = async (record: string): Promise<number> => {
    if (ref === null) runtime.record.set(record);
    else (await ref.run()).set(new Input(record));
    return 1;
  };
  if (source === 'main' || from === null) {
    return later(async () => {
      const record = await runtime.input.next();
      return record === undefined ? 0 : take(record);
    });
  }
  return andThen(compiler.text(from), async (name) => {
    const { streams } = runtime;
    const reader = source === 'file' ? await streams.file(name) : await streams.command(name);
    const record = reader?.next(runtime.text(runtime.RS.value), runtime.regexes);
    if (reader === null) {
      runtime.cell('ERRNO').value = streams.trouble;
      return -1;
    }
    if (record === undefined) return 0;
    runtime.RT.value = reader.terminator;
    const pause = runtime.tool.pulse();
    if (pause !== undefined) await pause;
    return take(record);
  });
}
