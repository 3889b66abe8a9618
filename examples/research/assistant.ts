/** The script of the example's model: search, and quote the best places with citations that can be verified. */

import { lastSaid, type Script } from '../../test/stand-ins/model/index.ts';
import { calls, inTurn, says } from '../scripted.ts';

/** A line of a search: `path:line:text`, or a page of a document, `path:p12:text`. */
export interface Hit {
  path: string;
  place: string;
  text: string;
}

/** The hits of a search, the best first. */
export const hitsOf = (result: string): Hit[] =>
  [...result.matchAll(/^(\/[^:\n]+):([a-z]*\d+):(.*)$/gm)].map(
    ([, path = '', place = '', text = '']) => ({ path, place, text }),
  );

/** Asks the files below a directory, and cites the two places that fit best. */
export const assistant =
  (directory: string): Script =>
  (request, index) => {
    const question = lastSaid(request.messages);
    const script = inTurn(
      () => calls(['bash', { command: `grep ${JSON.stringify(question)} ${directory}` }]),
      ([hits = '']) => {
        const cited = hitsOf(hits).slice(0, 2);
        if (cited.length === 0) return says('The documents say nothing about it.');
        const lines = cited.map(({ path, place, text }) => `- [${path}:${place} "${text.trim()}"]`);
        return says(`The documents say:\n\n${lines.join('\n')}`);
      },
    );
    return typeof script === 'function' ? script(request, index) : says('');
  };
