/** Pages, rows and comments as records: a row's fields are the properties of its database. */
import { z } from 'zod';
import {
  type FieldSpec,
  nearest,
  type RecordType,
  shown,
  someOf,
  type Values,
} from '../../src/mount/index.ts';
import { bodyTroubles, canonicalBody } from './markdown/index.ts';
import { keyOf } from './names.ts';
import { ELEMENTS_MAX, RUN_MAX, shownProperty, shownText, titleOf } from './properties.ts';
import type { ApiComment, ApiPage, ApiSource, PropertyConfig } from './schemas.ts';

const TEXT_MAX = RUN_MAX * ELEMENTS_MAX;
/** "500KB overall". */
const BODY_MAX = 450_000;
/** Of what Notion could not hold of a text, so many are told at once. */
const TROUBLES_MOST = 10;

const title: FieldSpec = {
  schema: z
    .string({ error: 'must be text' })
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine((text) => text.length <= RUN_MAX, `is longer than ${RUN_MAX} characters`)
    .refine((text) => !/[\r\n]/.test(text), 'must be one line'),
  access: 'create',
  required: true,
  initial: '',
  about: `one line of at most ${RUN_MAX} characters`,
};

const body: FieldSpec = {
  schema: z
    .string({ error: 'must be text' })
    .refine((text) => Buffer.byteLength(text) <= BODY_MAX, `is larger than ${BODY_MAX} bytes`)
    .superRefine((text, context) => {
      for (const { line, message } of bodyTroubles(text).slice(0, TROUBLES_MOST)) {
        const where = line === null ? '' : `line ${line} of the text: `;
        context.addIssue({ code: 'custom', message: `${where}${message}` });
      }
    })
    .transform(canonicalBody),
  access: 'create',
  about:
    'markdown below the fields: headings #–####, lists nested by two spaces, - [ ], > quotes, tables, code, $$, <details>, <callout>, > [!NOTE]; a line <page>, <database> or <unknown> stands for what is not text: leave it',
};

const tail: Record<string, FieldSpec> = {
  id: shown('id'),
  url: shown('address'),
  created_time: shown('time'),
  last_edited_time: {
    ...shown('time, to the minute'),
    otherMeans:
      'this text is of another version; read the file again, or leave last_edited_time out to write it all the same',
  },
  incomplete: shown('what is missing of the text, where Notion does not give all of it'),
  body,
};

export const pageRecord: RecordType = { name: 'page', fields: { title, ...tail } };

export const commentRecord: RecordType = {
  name: 'comment',
  fields: {
    id: shown('id'),
    author: shown('name, or id'),
    discussion: shown('id of the thread'),
    reply_to: {
      schema: z
        .string({ error: 'must be the id of a comment, or null' })
        .transform((text) => text.replace(/\.md$/, '').replaceAll('-', '').toLowerCase())
        .nullable(),
      access: 'create',
      initial: null,
      about: 'of a new one: the id of a comment here that it answers, or null',
    },
    created_time: shown('time'),
    last_edited_time: shown('time'),
    body: {
      schema: z
        .string()
        .refine((text) => text.trim() !== '', 'must not be empty')
        .refine((text) => text.length <= TEXT_MAX, `is longer than ${TEXT_MAX} characters`),
      access: 'create',
      required: true,
      about: 'plain text below the fields',
    },
  },
};

/** The field that shows a property: its name, unless one of ours has it. */
export function fieldOf(config: Pick<PropertyConfig, 'name' | 'type'>): string {
  if (config.type === 'title') return 'title';
  return Object.hasOwn(tail, config.name) || config.name === 'title'
    ? `${config.name} (property)`
    : config.name;
}

/** The fields of a database's rows. */
export function rowRecord(source: ApiSource): RecordType {
  const own = Object.values(source.properties)
    .filter(({ type }) => type !== 'title')
    .map((config) => [fieldOf(config), specOf(config)] as const);
  return { name: 'row', fields: { title, ...Object.fromEntries(own), ...tail } };
}

const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** Is it a day, or a time, that there is? */
function isDate(text: string): boolean {
  if (!DATE.test(text) || Number.isNaN(Date.parse(text))) return false;
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day;
}

function specOf(config: PropertyConfig): FieldSpec {
  const { type } = config;
  const write = (schema: z.ZodType, about: string, initial: unknown = null): FieldSpec => ({
    schema,
    access: 'create',
    initial,
    about,
  });
  const short = (most: number, what: string) =>
    write(
      z
        .string({ error: `must be ${what} or null` })
        .refine((text) => text.length <= most, `is longer than ${most} characters`)
        .refine((text) => text !== '', 'must not be empty: null clears it')
        .nullable(),
      `${what} of at most ${most} characters, or null`,
    );
  switch (type) {
    case 'rich_text':
      return write(
        z
          .string({ error: 'must be text' })
          .refine((text) => text.length <= TEXT_MAX, `is longer than ${TEXT_MAX} characters`)
          .nullable()
          .transform((text) => text ?? ''),
        'plain text',
        '',
      );
    case 'number':
      return write(z.number({ error: 'must be a number or null' }).nullable(), 'a number or null');
    case 'checkbox':
      return write(z.boolean({ error: 'must be true or false' }), 'true or false', false);
    case 'url':
      return short(2000, 'an address');
    case 'email':
    case 'phone_number':
      return short(200, type === 'email' ? 'an e-mail address' : 'a phone number');
    case 'date':
      return write(
        z
          .string({ error: 'must be a date or null' })
          .refine((text) => {
            const parts = text.split('/');
            return parts.length <= 2 && parts.every(isDate);
          }, 'must be a date')
          .nullable(),
        '2025-01-31, a time 2025-01-31T09:00:00Z, a range START/END, or null',
      );
    case 'select':
    case 'status':
      return oneOf(config);
    case 'multi_select':
      return listOf(
        z.string({ error: 'must be a list of options' }).superRefine(known(config)),
        `a list in brackets of ${someOf(optionsOf(config), 40)}`,
      );
    case 'people':
      return listOf(
        z.string({ error: 'must be a list of names' }),
        'a list in brackets of names or e-mail addresses',
      );
    case 'relation':
      return listOf(
        z.string({ error: 'must be a list of pages' }),
        'a list in brackets of file names or ids of pages',
      );
    default:
      return shown(type);
  }
}

function listOf(item: z.ZodType<string>, about: string): FieldSpec {
  return {
    schema: z
      .array(item, { error: 'must be a list in brackets' })
      .max(ELEMENTS_MAX, `has more than ${ELEMENTS_MAX} entries`)
      .nullable()
      .transform((list) => list ?? []),
    access: 'create',
    initial: [],
    about,
  };
}

export function optionsOf(config: PropertyConfig): string[] {
  const own = config.select ?? config.multi_select ?? config.status;
  return (own?.options ?? []).map(({ name }) => name);
}

function oneOf(config: PropertyConfig): FieldSpec {
  const allowed = `one of ${someOf(optionsOf(config), 40)}, or null`;
  return {
    schema: z
      .string({ error: `must be ${allowed}` })
      .superRefine(known(config))
      .nullable(),
    access: 'create',
    initial: null,
    about: allowed,
  };
}

/** Options must exist: a new one would be made by a slip of the pen. */
function known(config: PropertyConfig) {
  const options = optionsOf(config);
  return (name: string, context: z.core.$RefinementCtx<string>): void => {
    if (options.includes(name)) return;
    const alike = nearest(name, options);
    const hint = alike.length > 0 ? ` (nearest: ${alike.join(', ')})` : '';
    context.addIssue({ code: 'custom', message: `there is no option "${name}"${hint}` });
  };
}

/** What a page's file shows, but for its text. */
export function pageValues(
  page: ApiPage,
  source: ApiSource | null,
  nameOfPage: (id: string) => string | null,
): Values {
  const values: Values = { title: titleOf(page).replace(/[\r\n]+/g, ' ') };
  for (const [name, value] of Object.entries(page.properties)) {
    if (value.type === 'title' || source === null) continue;
    values[fieldOf({ name, type: value.type })] = shownProperty(value, nameOfPage).value;
  }
  const { id, url, created_time, last_edited_time } = page;
  return { ...values, id, url, created_time, last_edited_time };
}

export function commentValues(
  comment: ApiComment,
  nameOfUser: (id: string) => string | null,
): Values {
  const { id, created_by, created_time, last_edited_time, rich_text, discussion_id } = comment;
  return {
    id: id.replaceAll('-', ''),
    author: nameOfUser(created_by.id) ?? created_by.id,
    discussion: discussion_id.replaceAll('-', ''),
    created_time,
    last_edited_time,
    body: shownText(rich_text).value,
  };
}

/** The digits that a name or an id of a page ends in; null when it is neither. */
export function pageKey(text: string): string | null {
  const hex = /([0-9a-f]{12})(?:\.md)?$/.exec(text.replaceAll('-', ''))?.[1];
  return hex === undefined ? null : keyOf(hex);
}
