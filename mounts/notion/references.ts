/** People and pages by the names that a frontmatter gives them: looked up, checked, turned into ids. */
import { type Person, type Problem, personOf, type Values } from '../../src/mount/index.ts';
import { type Ids, requested } from './properties.ts';
import { fieldOf, pageKey } from './records.ts';
import { nameIn } from './render.ts';
import type { ApiSource, PropertyConfig } from './schemas.ts';
import type { NotionStore } from './store.ts';
import type { WriteParts } from './write-parts.ts';

/** People and pages must be there; people are looked up once, and only when one is named. */
export async function checkNames(
  { store, sync }: WriteParts,
  source: ApiSource | null,
  values: Values,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const config of Object.values(source?.properties ?? {})) {
    const names = values[fieldOf(config)];
    if (!Array.isArray(names) || names.length === 0) continue;
    if (config.type === 'people') await sync.ensureUsers();
    for (const name of names as string[]) {
      const message = refusedName(store, config.type, name);
      if (message !== null) problems.push({ field: fieldOf(config), message });
    }
  }
  return problems;
}

function refusedName(store: NotionStore, type: string, name: string): string | null {
  if (type === 'people') {
    const found = personOf(peopleOf(store), name);
    return 'refused' in found ? found.refused : null;
  }
  if (type !== 'relation' || idsOf(store).page(name) !== null) return null;
  return `there is no page "${name}" here (allowed: file names or ids of pages)`;
}

function peopleOf(store: NotionStore): Person[] {
  return store.users().map(({ id, name, person }) => {
    const { email } = person ?? {};
    return { id, name: name ?? id, also: email === undefined ? [] : [email] };
  });
}

function idsOf(store: NotionStore): Ids {
  return {
    user: (name) => {
      const found = personOf(peopleOf(store), name);
      return 'person' in found ? found.person.id : null;
    },
    page: (name) => {
      const key = pageKey(name);
      return key === null ? null : (store.page(key)?.page.id ?? null);
    },
  };
}

/** Names that were checked, as the next read shows them. */
export function asShown(store: NotionStore, source: ApiSource | null, values: Values): Values {
  const shown: Values = { ...values };
  const ids = idsOf(store);
  for (const config of Object.values(source?.properties ?? {})) {
    const names = values[fieldOf(config)];
    if (!Array.isArray(names)) continue;
    if (config.type === 'people') {
      shown[fieldOf(config)] = names.map((name: string) => {
        const found = personOf(peopleOf(store), name);
        return 'person' in found ? found.person.name : name;
      });
    } else if (config.type === 'relation') {
      shown[fieldOf(config)] = names.map((name: string) => {
        const id = ids.page(name);
        return (id === null ? null : nameIn(store, id)) ?? name;
      });
    }
  }
  return shown;
}

/** Properties of a request; the title under the name that its property has. */
export function propertiesOf(
  store: NotionStore,
  configs: readonly Pick<PropertyConfig, 'name' | 'type'>[],
  values: Values,
): Record<string, unknown> {
  const ids = idsOf(store);
  const given = configs.filter((config) => values[fieldOf(config)] !== undefined);
  return Object.fromEntries(
    given.map((config) => [
      config.name,
      { [config.type]: requested(config.type, values[fieldOf(config)], ids) },
    ]),
  );
}
