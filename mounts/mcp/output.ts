/** What a call answered, as output: texts and structures on stdout, what is no text in files. */
import type { ProgramOutput } from '../../src/mount/index.ts';
import { answerSchema, messagesSchema, type Part } from './schemas.ts';

/** How an answer is wanted. */
export interface Wanted {
  /** The whole of it, as JSON. */
  whole?: boolean;
  /** Into this file; null for stdout. */
  file?: string | null;
}

/** A part that is no text. */
interface Media {
  type: string;
  data: Uint8Array;
}

/** The answer of a tool. */
export function toolOutput(
  answer: unknown,
  { whole = false, file = null }: Wanted = {},
): ProgramOutput {
  const { content, structuredContent, isError } = answerSchema.parse(answer);
  const isFailed = isError === true;
  const isStructured = structuredContent !== undefined && structuredContent !== null;
  const texts = content.flatMap(textOf);
  const text = whole
    ? json(answer)
    : isStructured && !isFailed
      ? json(structuredContent)
      : texts.map(withEnd).join('');
  if (isFailed && !whole) {
    const said = text === '' ? 'the tool failed, and does not say why\n' : text;
    return { stdout: new Uint8Array(), stderr: said, exitCode: 1 };
  }
  const media = whole ? [] : content.flatMap(mediaOf);
  return { ...placed(text, media, file), ...(isFailed ? { exitCode: 1 } : {}) };
}

/** The messages of a prompt. */
export function promptOutput(
  answer: unknown,
  { whole = false, file = null }: Wanted = {},
): ProgramOutput {
  if (whole) return placed(json(answer), [], file);
  const { messages } = messagesSchema.parse(answer);
  const parts = messages.flatMap(({ content }) => content);
  // Who says it matters where there are several voices.
  const isOne = messages.length === 1;
  const text = messages
    .map(({ role, content }) => {
      const said = content.flatMap(textOf).map(withEnd).join('');
      return isOne ? said : `${role}:\n${said}`;
    })
    .join(isOne ? '' : '\n');
  return placed(text, parts.flatMap(mediaOf), file);
}

function placed(text: string, media: readonly Media[], file: string | null): ProgramOutput {
  const bytes = Buffer.from(text);
  if (file !== null) {
    const all = [
      ...(bytes.length > 0 || media.length === 0 ? [bytes] : []),
      ...media.map(({ data }) => data),
    ];
    // Of several the first that is no text is what the file was named for.
    if (media.length > 0 && bytes.length > 0) {
      return {
        stdout: bytes,
        stderr: '',
        exitCode: 0,
        files: media.map(({ data }, index) => ({ path: numbered(file, index), data })),
      };
    }
    return {
      stdout: new Uint8Array(),
      stderr: '',
      exitCode: 0,
      files: all.map((data, index) => ({ path: numbered(file, index), data })),
    };
  }
  if (media.length === 0) return { stdout: bytes, stderr: '', exitCode: 0 };
  const what = media.map(({ type, data }) => `${type}, ${data.length} bytes`).join('; ');
  return {
    stdout: bytes,
    stderr: `dirigent: the answer has what is no text (${what}), which is not shown: the option -o FILE writes it\n`,
    exitCode: 1,
  };
}

/** `a.png`, `a-2.png`. */
function numbered(file: string, index: number): string {
  if (index === 0) return file;
  const dot = file.lastIndexOf('.');
  const cut = dot <= file.lastIndexOf('/') + 1 ? file.length : dot;
  return `${file.slice(0, cut)}-${index + 1}${file.slice(cut)}`;
}

function textOf(part: Part): string[] {
  switch (part.type) {
    case 'text':
      return [part.text ?? ''];
    case 'resource_link':
      return [part.uri ?? ''];
    case 'resource':
      return part.resource?.text === undefined ? [] : [part.resource.text];
    case 'image':
    case 'audio':
      return [];
    default:
      return [JSON.stringify(part)];
  }
}

function mediaOf({ type, data, mimeType, resource }: Part): Media[] {
  const bytes = type === 'image' || type === 'audio' ? data : resource?.blob;
  if (bytes === undefined) return [];
  const called = mimeType ?? resource?.mimeType ?? type;
  return [
    { type: called.replace(/[^\w.+/-]/g, '?').slice(0, 80), data: Buffer.from(bytes, 'base64') },
  ];
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const withEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
