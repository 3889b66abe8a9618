/**
 * The hand-written cores of the demo world, and their text format. One scenario is one problem with
 * everything people said about it:
 *
 *     === key | kind | area | outcome | high?
 *     # title, then its text      a report; the first is the main one, the rest are others' words
 *     ## title, then its text     what came later
 *     > step   $ line of a log   - remark of the conversation   ! cause   ~ workaround
 *     +++ title | path            the fix; its note on the next line, then the patch
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface Report {
  title: string;
  text: string;
}

export interface Scenario {
  key: string;
  kind: 'bug' | 'enhancement' | 'question' | 'incident' | 'design' | 'documentation';
  area: string;
  outcome: 'fixed' | 'open' | 'answered';
  high: boolean;
  reports: Report[];
  later: Report;
  steps: string[];
  evidence: string[];
  talk: string[];
  cause: string;
  workaround: string;
  fix: { title: string; path: string; note: string; patch: string };
}

const KINDS = ['bug', 'enhancement', 'question', 'incident', 'design', 'documentation'] as const;
const OUTCOMES = ['fixed', 'open', 'answered'] as const;

function oneOf<Value extends string>(values: readonly Value[], text: string, where: string): Value {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`${where}: "${text}" is none of ${values.join(', ')}`);
  return found;
}

const after = (lines: string[], mark: string): string[] =>
  lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));

function reportsOf(lines: string[], mark: string): Report[] {
  return lines.flatMap((line, index) => {
    if (!line.startsWith(mark)) return [];
    return [{ title: line.slice(mark.length), text: lines[index + 1] ?? '' }];
  });
}

function parseScenario(block: string, file: string): Scenario {
  const [head = '', ...rest] = block.split('\n');
  const split = rest.findIndex((line) => line.startsWith('+++ '));
  const lines = rest.slice(0, split);
  const [key = '', kind = '', area = '', outcome = '', high = ''] = head
    .split('|')
    .map((part) => part.trim());
  const where = `${file}, ${key}`;
  const [fixTitle = '', path = ''] = (rest[split] ?? '').slice(4).split(' | ');
  const [later] = reportsOf(lines, '## ');
  const [cause] = after(lines, '! ');
  const [workaround] = after(lines, '~ ');
  if (split < 0 || !later || !cause || !workaround) throw new Error(`${where}: a part is missing`);
  return {
    key,
    kind: oneOf(KINDS, kind, where),
    area,
    outcome: oneOf(OUTCOMES, outcome, where),
    high: high === 'high',
    reports: reportsOf(lines, '# '),
    later,
    steps: after(lines, '> '),
    evidence: after(lines, '$ '),
    talk: after(lines, '- '),
    cause,
    workaround,
    fix: {
      title: fixTitle,
      path,
      note: rest[split + 1] ?? '',
      patch: rest
        .slice(split + 2)
        .join('\n')
        .trimEnd(),
    },
  };
}

/** Reads all scenarios of a folder beside this file. @throws Error naming file and scenario */
export function readScenarios(folder: 'quay' | 'quay-cli'): Scenario[] {
  const directory = new URL(`./${folder}/`, import.meta.url);
  const files = readdirSync(directory).sort();
  return files.flatMap((file) => {
    const text = readFileSync(new URL(file, directory), 'utf8');
    return text
      .split(/^=== /m)
      .slice(1)
      .map((block) => parseScenario(block, file));
  });
}

/** Templates of remarks: `defect` and `idea` fit kinds of issues, `solved` what has been fixed. */
export type RemarkKind = 'issue' | 'defect' | 'idea' | 'solved' | 'duplicate' | 'pull';

/** The templates of remarks, by where they fit. */
export function readRemarks(): (kind: RemarkKind) => string[] {
  const lines = readFileSync(new URL('./remarks.txt', import.meta.url), 'utf8').split('\n');
  return (kind) => after(lines, `${kind}|`).map((line) => line.replaceAll('\\n', '\n'));
}
