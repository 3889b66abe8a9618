/** The tool `verify`: do the citations of an answer hold? */
import { z } from 'zod';
import { reportLines, statusOf } from '../../citations/report.ts';
import { verifyAnswer } from '../../citations/verify.ts';
import { defineTool } from '../tool.ts';
import { clipped } from './clip.ts';

export const verifyTool = defineTool({
  name: 'verify',
  description:
    'Looks up each citation of a text: path, line or page, and quoted words. A citation is [path:line "words"].',
  input: z.strictObject({
    answer: z.string().min(1).describe('The text with its citations, as it will be given'),
  }),
  repeatable: true,
  readOnly: true,
  run: async ({ answer }, { access }) => {
    const { files, cwd } = access;
    const verification = await verifyAnswer(answer, { files, bases: [cwd, '/mnt', '/'] });
    return {
      text: clipped(reportLines(verification).join('\n')),
      failed: statusOf(verification) !== 0,
    };
  },
});
