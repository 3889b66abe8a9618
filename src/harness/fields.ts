/** The frontmatter of a file of the harness, checked. */
import type { z } from 'zod';
import { FrontmatterError, parseFrontmatter } from '../mount/record/frontmatter.ts';
import { HarnessFault } from './fault.ts';

/** @throws HarnessFault */
export function split(text: string): { fields: Record<string, unknown>; body: string } {
  try {
    return parseFrontmatter(text);
  } catch (error) {
    if (error instanceof FrontmatterError) throw new HarnessFault(error.message);
    throw error;
  }
}

/** @throws HarnessFault naming each field that is wrong */
export function check<T extends z.ZodType>(
  schema: T,
  fields: Record<string, unknown>,
): z.output<T> {
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  throw new HarnessFault(result.error.issues.flatMap((issue) => faultsOf(issue)).join('; '));
}

type Issue = z.core.$ZodIssue;

/** What is wrong, with the field before it. */
function faultsOf(issue: Issue, above: readonly PropertyKey[] = []): string[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const meant = meantOf(issue.errors);
    if (meant !== undefined) return meant.flatMap((each) => faultsOf(each, path));
  }
  // Of a key, what is wrong with it.
  const message =
    issue.code === 'invalid_key'
      ? issue.issues.map((each) => each.message).join(', ')
      : issue.message;
  return [path.length === 0 ? message : `${path.join('.')}: ${message}`];
}

/** Of several forms the one that was meant: it fails deeper, or not for its type. */
function meantOf(forms: readonly Issue[][]): Issue[] | undefined {
  const depth = (form: readonly Issue[]): number =>
    Math.max(
      ...form.map(({ path, code }) => (path.length > 0 ? 2 : code === 'invalid_type' ? 0 : 1)),
    );
  const [meant] = forms.toSorted((one, other) => depth(other) - depth(one));
  return meant !== undefined && depth(meant) > 0 ? meant : undefined;
}
