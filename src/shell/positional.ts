/** The positional parameters, as just-bash keeps them among the variables. */
import type { InterpreterState } from './interpreter-types.ts';

/** `$1` and on. */
export function positional({ env }: InterpreterState): string[] {
  return Array.from(
    { length: Number(env.get('#') ?? '0') },
    (_, i) => env.get(String(i + 1)) ?? '',
  );
}

/** Puts others in their place. */
export function setPositional(state: InterpreterState, args: readonly string[]): void {
  const { env } = state;
  for (const [i] of positional(state).entries()) env.delete(String(i + 1));
  for (const [i, arg] of args.entries()) env.set(String(i + 1), arg);
  env.set('#', String(args.length));
  env.set('@', args.join(' '));
  env.set('*', args.join(' '));
}
