/**
 * The plan of a turn, for an editor that shows one. The harness has no list of
 * its own: an agent that works by a plan writes it down, as boxes of Markdown in
 * a file that is called so, and the editor is told what stands there.
 */
import type { PlanEntry } from '@agentclientprotocol/sdk';
import { escapeLine } from '../../visible.ts';

/** Files whose boxes are a plan. */
const NAMED = /(?:^|\/)(?:plan|todo)\.md$/i;
const BOX = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX~/-])\]\s+(.*\S)/;
/** More than that nobody reads in an editor's margin. */
const ENTRIES = 100;

const STATES: Readonly<Record<string, PlanEntry['status']>> = {
  ' ': 'pending',
  x: 'completed',
  X: 'completed',
};

/** Is it a plan, going by its name? */
export const isPlan = (path: string): boolean => NAMED.test(path);

/** The boxes of a text: empty ones are to be done, those with an x are, and those with `~`, `/` or `-` are begun. */
export function planOf(text: string): PlanEntry[] {
  const boxes = text.split('\n').flatMap((line): PlanEntry[] => {
    const [, mark = '', content = ''] = BOX.exec(line) ?? [];
    if (content === '') return [];
    const status = STATES[mark] ?? 'in_progress';
    return [{ content: escapeLine(content), priority: 'medium', status }];
  });
  return boxes.slice(0, ENTRIES);
}
