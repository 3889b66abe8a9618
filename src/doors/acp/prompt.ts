/** A prompt of an editor, as text. */
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk';
import type { Names } from './names.ts';

/** What the person wrote, with what they attached. */
export function promptOf(blocks: readonly ContentBlock[], names: Names): string {
  return blocks
    .map((block) => {
      switch (block.type) {
        case 'text':
          return block.text;
        case 'resource_link':
          return `[${block.name}](${names.inside(block.uri)})`;
        case 'resource':
          if ('text' in block.resource)
            return `\n<file uri="${names.inside(block.resource.uri)}">\n${block.resource.text}\n</file>\n`;
          throw RequestError.invalidParams(undefined, 'only text can be attached');
        default:
          throw RequestError.invalidParams(undefined, `${block.type} cannot be attached`);
      }
    })
    .join('');
}
