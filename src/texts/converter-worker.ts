/** The thread in which documents are read. It answers one request after another. */
import { parentPort } from 'node:worker_threads';
import { convert } from './convert/convert.ts';
import type { ConversionAnswer, ConversionRequest } from './converter.ts';
import { DocumentFault } from './fault.ts';

const port = parentPort;
if (port === null) throw new Error('this module is the thread of a converter');

port.on('message', (request: ConversionRequest) => {
  void answer(request).then((message) => port.postMessage(message));
});

async function answer({ id, format, bytes }: ConversionRequest): Promise<ConversionAnswer> {
  try {
    return { id, text: await convert(format, bytes) };
  } catch (error) {
    return { id, fault: faultOf(error) };
  }
}

/** What a library stumbled over is a fault of the document: of ours there is nothing to read in it. */
function faultOf(error: unknown): { code: DocumentFault['code']; reason: string } {
  if (error instanceof DocumentFault) return { code: error.code, reason: error.message };
  const message = error instanceof Error ? error.message : String(error);
  const [line = ''] = message.split('\n');
  return {
    code: 'EINVAL',
    reason: `is broken, or is not what its name says: ${line.slice(0, 200)}`,
  };
}
