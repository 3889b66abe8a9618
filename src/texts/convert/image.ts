/** Pictures, by what is written in them: size, time, place, and what somebody said of them. */
import ExifReader from 'exifreader';
import { broken } from '../fault.ts';
import type { Converted } from '../pages.ts';

/** Tags by the name that they get, the first one that is there. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  title: ['title', 'Title', 'Object Name', 'Headline'],
  author: ['creator', 'Artist', 'By-line', 'Author'],
  created: ['DateTimeOriginal', 'CreateDate', 'DateTime', 'Date Created'],
  camera: ['Model'],
  software: ['Software'],
  keywords: ['subject', 'Keywords', 'XPKeywords'],
  copyright: ['Copyright', 'rights', 'Copyright Notice'],
};
const SAID: readonly string[] = [
  'ImageDescription',
  'description',
  'Description',
  'Caption/Abstract',
  'UserComment',
  'XPComment',
  'Comment',
];

export async function convertImage(bytes: Uint8Array): Promise<Converted> {
  const tags = ExifReader.load(Buffer.from(bytes), { includeUnknown: false });
  const value = (name: string): string | undefined => {
    const text = String(tags[name]?.description ?? '').trim();
    return text === '' || text === '[object Object]' ? undefined : text;
  };
  const first = (names: readonly string[]): string | undefined => names.map(value).find(Boolean);
  const named = Object.entries(FIELDS).map(([name, names]) => [name, first(names)] as const);
  const width = value('Image Width');
  const height = value('Image Height');
  if (Object.keys(tags).length === 0) throw broken('is no picture that can be read');
  const place = [value('GPSLatitude'), value('GPSLongitude')].filter((each) => each !== undefined);
  const said = [...new Set(SAID.map(value).filter((each) => each !== undefined))];
  return {
    fields: {
      ...Object.fromEntries(named),
      format: value('FileType'),
      size:
        width === undefined || height === undefined
          ? undefined
          : `${digits(width)} x ${digits(height)}`,
      place: place.length === 2 ? place.join(' ') : undefined,
    },
    unit: 'p',
    pages: said.length === 0 ? [] : [said.join('\n\n')],
  };
}

/** `640px` */
const digits = (size: string): string => /\d+/.exec(size)?.[0] ?? size;
