/** Values of properties: from their simple form in a seed, and from requests, to what responses have. */
import { createHash } from 'node:crypto';
import type { Database, Json, PropertyConfig, PropertySeed, User } from './model.ts';
import { Refusal } from './refusal.ts';
import { plain, richTextOf, runsOf } from './rich-text.ts';

/** Ids of properties and options: short, and the same for the same name. */
function shortId(...names: string[]): string {
  return createHash('sha256').update(names.join(' ')).digest('base64url').slice(0, 4);
}

type Option = { id: string; name: string; color: string; description: string | null };

/** A property of a database, as a response has it. */
export function configOf(name: string, seed: PropertySeed, target?: Database): PropertyConfig {
  const { type } = seed;
  const id = type === 'title' ? 'title' : shortId(name);
  return { id, name, description: null, type, [type]: ownConfig(name, seed, target) };
}

function ownConfig(name: string, { type, options }: PropertySeed, target?: Database): Json {
  const made = options.map((option) => ({
    id: shortId(name, option),
    name: option,
    color: 'default',
    description: null,
  }));
  switch (type) {
    case 'status': {
      const option_ids = made.map(({ id }) => id);
      return {
        options: made,
        groups: [{ id: shortId(name), name: 'All', color: 'default', option_ids }],
      };
    }
    case 'select':
    case 'multi_select':
      return { options: made };
    case 'number':
      return { format: 'number' };
    case 'unique_id':
      return { prefix: null };
    case 'formula':
      return { expression: '' };
    case 'relation':
      return {
        database_id: target?.id ?? '',
        data_source_id: target?.dataSourceId ?? '',
        type: 'single_property',
        single_property: {},
      };
    default:
      return {};
  }
}

/** What a page has of a property that nobody set. */
export function emptyValue({ id, type }: PropertyConfig): Json {
  const many = ['title', 'rich_text', 'multi_select', 'people', 'relation', 'files'].includes(type);
  const value = many ? [] : type === 'checkbox' ? false : null;
  const more = type === 'relation' ? { has_more: false } : {};
  return { id, type, [type]: value, ...more };
}

/** From a seed's simple form. */
export function seededValue(config: PropertyConfig, value: unknown, users: readonly User[]): Json {
  const { type } = config;
  const request = (() => {
    switch (type) {
      case 'title':
      case 'rich_text':
        return richTextOf(plain(String(value)));
      case 'select':
      case 'status':
        return { name: value };
      case 'multi_select':
        return (value as string[]).map((name) => ({ name }));
      case 'people':
        return (value as string[]).map((name) => ({
          id: users.find((user) => user.name === name)?.id,
        }));
      case 'relation':
        return (value as string[]).map((id) => ({ id }));
      case 'date':
        return { start: value };
      default:
        return value;
    }
  })();
  return givenValue(config, { [type]: request }, users);
}

/**
 * A value of a request as a response has it.
 * @throws Refusal validation_error, where the service refuses it: a value of another type, an
 *   option of a status that is not there. https://developers.notion.com/reference/page-property-values
 */
export function givenValue(config: PropertyConfig, given: Json, users: readonly User[]): Json {
  const { id, name, type } = config;
  if (!(type in given)) throw new Refusal('validation_error', `${name} is expected to be ${type}.`);
  const value = given[type];
  const made = ((): unknown => {
    switch (type) {
      case 'title':
      case 'rich_text':
        return richTextOf(runsOf(value));
      case 'select':
      case 'status':
        return value === null ? null : optionOf(config, value as Json);
      case 'multi_select':
        return (value as Json[]).map((one) => optionOf(config, one));
      case 'people':
        return (value as Json[]).map((one) => userOf(users, String(one['id'])));
      case 'relation':
        return (value as Json[]).map((one) => ({ id: one['id'] }));
      case 'date':
        return value === null ? null : { end: null, time_zone: null, ...(value as Json) };
      case 'number':
      case 'checkbox':
      case 'url':
      case 'email':
      case 'phone_number':
        return value;
      default:
        // Computed properties cannot be written: "page-property-values", read-only types.
        throw new Refusal('validation_error', `${name} is read-only: ${type} cannot be updated.`);
    }
  })();
  return { id, type, [type]: made, ...(type === 'relation' ? { has_more: false } : {}) };
}

/**
 * A select makes an option that is not there, without a comma in its name; a status has those that
 * it has. https://developers.notion.com/reference/page-property-values#select and #status
 */
function optionOf(config: PropertyConfig, given: Json): Option {
  const { options } = config[config.type] as { options: Option[] };
  const found = options.find(
    (option) => option.id === given['id'] || option.name === given['name'],
  );
  if (found !== undefined) return { id: found.id, name: found.name, color: found.color } as Option;
  const name = String(given['name']);
  if (config.type === 'status') {
    throw new Refusal(
      'validation_error',
      `Invalid status option. Status option "${name}" does not exist".`,
    );
  }
  if (name.includes(',')) {
    throw new Refusal('validation_error', `Invalid select option, commas not allowed: ${name}`);
  }
  const made = { id: shortId(config.name, name), name, color: 'default', description: null };
  options.push(made);
  return { id: made.id, name, color: made.color } as Option;
}

export function userObject({ id, name, email }: User): Json {
  const type = email === null ? { type: 'bot', bot: {} } : { type: 'person', person: { email } };
  return { object: 'user', id, name, avatar_url: null, ...type };
}

function userOf(users: readonly User[], id: string): Json {
  const user = users.find((one) => one.id === id);
  if (user === undefined) throw new Refusal('validation_error', `user ${id} does not exist.`);
  return userObject(user);
}
