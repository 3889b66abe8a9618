/** Between just-bash's strings and bytes. */

type Encoding = BufferEncoding | 'binary' | null | undefined;

interface EncodingOption {
  encoding?: Encoding;
}

const encodingOf = (options: EncodingOption | Encoding): Encoding =>
  typeof options === 'object' && options !== null ? options.encoding : options;

/**
 * The bytes that a caller means. `binary` and `latin1` say that each character
 * is a byte; where one is not, the text was Unicode after all and is UTF-8.
 */
export function encodeContent(
  content: string | Uint8Array,
  options?: EncodingOption | Encoding,
): Uint8Array {
  if (typeof content !== 'string') return content;
  const encoding = encodingOf(options) ?? 'utf8';
  if ((encoding === 'binary' || encoding === 'latin1') && !isLatin1(content))
    return Buffer.from(content, 'utf8');
  return Buffer.from(content, encoding);
}

/** Text from bytes, UTF-8 unless another encoding is named. */
export function decodeText(bytes: Uint8Array, options?: EncodingOption | Encoding): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString(encodingOf(options) ?? 'utf8');
}

function isLatin1(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0xff) return false;
  return true;
}
