/** What is wrong with data that does not fit a schema, for whoever wrote it. */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** A sentence for each fault, with the field before it. */
export const schemaFaults = ({ issues }: z.ZodError): string[] =>
  issues.flatMap((issue) => faultsOf(issue));

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
