/** What a person sees of an attempt at the command line. */
import { join } from 'node:path';
import { cli } from '../cli/run-cli.ts';

export interface View {
  text: string;
  /** What of it a terminal would act on, or would not show, and lines that pass for ours. */
  hidden: string[];
}

/** Everything that is neither seen nor a line's end, and every character that turns the direction of writing. */
const HIDDEN = /[^\P{C}\n\t]|[\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Runs `dirigent COMMAND` on a deployment. */
export async function viewOf(deployment: string, command: string): Promise<View> {
  const { stdout, stderr } = await cli([...command.split(' '), '--deployment', deployment], {
    env: { DIRIGENT_SECRET: '', HOME: join(deployment, 'home') },
  });
  const text = `${stdout}${stderr}`;
  const forged = text.match(/^FORGED.*$/gm) ?? [];
  const hidden = [...new Set(text.match(HIDDEN) ?? [])].map((each) => JSON.stringify(each));
  return { text, hidden: [...forged, ...hidden] };
}
