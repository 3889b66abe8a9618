/**
 * Between Notion's markdown and that of the mount's files. The way there and back is the same
 * text again; what Notion cannot hold is told before anything is sent.
 */
import { sameBlocks, type Trouble } from './blocks.ts';
import { carriedOver } from './carry.ts';
import { readNotion, writeNotion } from './notion.ts';
import { readText } from './read-text.ts';
import { writeText } from './write-text.ts';

/** Notion's text of a page, as the file shows it. */
export function shownBody(markdown: string): string {
  return writeText(readNotion(markdown));
}

/** A text as the next read would show it: the same blocks, with the usual empty lines and marks. */
export function canonicalBody(text: string): string {
  return writeText(readText(text).blocks);
}

/** What Notion could not hold of a text as it is. */
export function bodyTroubles(text: string): Trouble[] {
  const { blocks, troubles } = readText(text);
  if (troubles.length > 0) return troubles;
  const sent = readNotion(writeNotion(blocks));
  if (sameBlocks(sent, blocks) && sameBlocks(readText(writeText(blocks)).blocks, blocks)) return [];
  const at = blocks.findIndex((block) => {
    const alone = writeText([block]);
    return (
      alone !== shownBody(writeNotion([block])) || !sameBlocks(readText(alone).blocks, [block])
    );
  });
  const block = blocks[at];
  const where =
    block === undefined ? '' : ` ("${writeText([block]).split('\n')[0]?.slice(0, 60)}")`;
  return [
    {
      line: null,
      message: `a part of it${where} would not come back from Notion as it is: write it more plainly`,
    },
  ];
}

/** A text of a file as Notion's markdown. */
export function notionBody(text: string): string {
  return writeNotion(readText(text).blocks);
}

/**
 * Notion's text of a page after an edit of its file: `markdown` is what Notion has, and what was
 * not edited is in the result to the letter.
 */
export function editedBody(markdown: string, after: string): string {
  return carriedOver(markdown, notionBody(shownBody(markdown)), notionBody(after));
}
