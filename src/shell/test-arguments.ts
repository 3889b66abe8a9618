/** What is wrong with the arguments of `test` and `[`: just-bash takes some mistakes for "no". */
import { COMPARISONS, INTEGER } from './arithmetic/comparisons.ts';

const UNARY = /^-[abcdefghknoprstuvwxzGLNORS]$/;
const BINARY = new Set(['=', '==', '!=', '<', '>', '-nt', '-ot', '-ef', '-a', '-o']);

/**
 * bash's message about them, or null if it has none.
 * @param args without the closing bracket
 */
export function problemOfTest(args: readonly string[]): string | null {
  const [first = '', second = '', third = ''] = args;
  switch (args.length) {
    case 0:
    case 1:
      return null;
    case 2:
      return first === '!' || UNARY.test(first) ? null : `${first}: unary operator expected`;
    case 3:
      if (COMPARISONS.has(second)) {
        const wrong = [first, third].find((operand) => !INTEGER.test(operand));
        return wrong === undefined ? null : `${wrong}: integer expression expected`;
      }
      if (BINARY.has(second) || (first === '(' && third === ')')) return null;
      return first === '!' ? problemOfTest([second, third]) : `${second}: binary operator expected`;
    default:
      return first === '!' ? problemOfTest(args.slice(1)) : problemOfParts(args);
  }
}

/** `A -a B -o C`, each with its own arguments; what is more intricate is left alone. */
function problemOfParts(args: readonly string[]): string | null {
  const parts: string[][] = [[]];
  for (const arg of args) {
    if (arg === '-a' || arg === '-o') parts.push([]);
    else parts.at(-1)?.push(arg);
  }
  if (parts.length === 1 || args.includes('(')) return null;
  for (const part of parts) {
    const problem = problemOfTest(part[0] === '!' ? part.slice(1) : part);
    if (problem !== null)
      return problem.endsWith('integer expression expected') ? problem : 'too many arguments';
  }
  return null;
}
