/** Files that come in, as adapters of the Chat SDK have them. */
import type { Adapter, Attachment } from 'chat';
import { type IncomingFile, NotSent } from '../../src/serve/channels/index.ts';

/** Those that can be fetched. */
export function filesOf(attachments: readonly Attachment[]): IncomingFile[] {
  return attachments.flatMap(({ name, size, mimeType, fetchMetadata }) =>
    fetchMetadata === undefined
      ? []
      : [{ name: name ?? unnamed(mimeType), size: size ?? null, reference: fetchMetadata }],
  );
}

/** A picture has no name. */
const unnamed = (mimeType = ''): string =>
  `file.${/^[a-z]+\/([a-z0-9]+)$/.exec(mimeType)?.[1] ?? 'bin'}`;

/** @throws NotSent where it is none that can be had */
export async function fetchFile(
  adapter: Pick<Adapter, 'rehydrateAttachment'>,
  { name, reference }: IncomingFile,
  most: number,
): Promise<Uint8Array> {
  const attachment = adapter.rehydrateAttachment?.({
    type: 'file',
    fetchMetadata: { ...reference },
  });
  if (attachment?.fetchData === undefined) throw new NotSent(`${name} cannot be fetched`, null);
  const bytes = new Uint8Array(await attachment.fetchData());
  if (bytes.length > most) throw new NotSent(`${name} is too large`, null);
  return bytes;
}
