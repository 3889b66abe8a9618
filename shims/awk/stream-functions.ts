/** system, close and fflush. */
import { type Builtins, textArgument } from './calls.ts';
import { andThen } from './code.ts';

export const streamFunctions: Builtins = {
  system: {
    least: 1,
    most: 1,
    compile: (call) =>
      andThen(textArgument(call, 0), (command) => call.compiler.runtime.streams.system(command)),
  },
  close: {
    least: 1,
    most: 2,
    compile: (call) =>
      andThen(textArgument(call, 0), async (name) => {
        const { runtime } = call.compiler;
        const status = await runtime.streams.close(name);
        if (status === null) {
          runtime.cell('ERRNO').value = 'close of redirection that was never opened';
        }
        return status ?? -1;
      }),
  },
  fflush: {
    least: 0,
    most: 1,
    compile: (call) =>
      andThen(textArgument(call, 0), (name) =>
        call.compiler.runtime.streams.flush(name === '' ? undefined : name),
      ),
  },
};
