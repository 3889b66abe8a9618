/**
 * A yard with halls of crates, in memory: crates go from hall to hall, notes lie in them, straps hold two
 * of them together and are listed for the whole yard only. It lists two rows a page.
 */
import { z } from 'zod';
import {
  type Asking,
  type JointListing,
  type JointPage,
  joint,
  openResourceMount,
  prose,
  type Resource,
  resource,
  type Scope,
  ServiceFailure,
  type ServiceOptions,
  type ServiceRequest,
} from '../../../src/mount/index.ts';

const PAGE = 2;

/** Of everything that is there: when it was changed last, by the yard's own count. */
interface Thing {
  id: string;
  at: number;
}

export interface Crate extends Thing {
  hall: string;
  /** What it is called in its hall, and was called in others. */
  label: string;
  labels: string[];
  paint: string;
  isStored: boolean;
}

interface Note extends Thing {
  crate: string;
  says: string;
}

interface Strap extends Thing {
  ends: [string, string];
}

type Rows = Readonly<Record<string, readonly Thing[]>>;

/** The service itself; what it was asked is told by its name. */
export class Yard {
  crates: Crate[] = [];
  notes: Note[] = [];
  straps: Strap[] = [];
  paint = 'red';
  asked: string[] = [];
  /** The next so many questions are answered; then one is not. */
  answers = Number.POSITIVE_INFINITY;
  #at = 0;

  now(): number {
    this.#at += 1;
    return this.#at;
  }

  addCrate(hall: string, number: number): Crate {
    const label = `${hall}-${number}`;
    const [id, paint] = [`crate${this.crates.length + 1}`, this.paint];
    const one = { id, hall, label, labels: [], paint, isStored: true, at: this.now() };
    this.crates.push(one);
    return one;
  }

  addNote(crate: Crate, says: string): void {
    const id = `n${this.notes.length + 1}`;
    this.notes.push({ id, crate: crate.id, says, at: this.now() });
  }

  addStrap(...ends: [Crate, Crate]): Strap {
    const [id, [a, b]] = [`s${this.straps.length + 1}`, ends];
    const one: Strap = { id, ends: [a.id, b.id], at: this.now() };
    this.straps.push(one);
    return one;
  }

  change(crate: Crate, fields: Partial<Crate>): void {
    Object.assign(crate, fields, { at: this.now() });
  }

  moveTo(crate: Crate, label: string): void {
    const [hall = ''] = label.split('-');
    this.change(crate, { hall, label, labels: [...crate.labels, crate.label] });
  }

  usage() {
    return { requests: this.asked.length, bytes: 0 };
  }

  ask(what: string): void {
    this.answers -= 1;
    if (this.answers < 0) {
      this.answers = Number.POSITIVE_INFINITY;
      throw new ServiceFailure('network', 'the line is cut');
    }
    this.asked.push(what);
  }

  /** What was asked since this was called last. */
  told(): string[] {
    return this.asked.splice(0);
  }

  /** Straps two crates together, or lets them go. */
  async send({ method, url, body }: ServiceRequest): Promise<unknown> {
    this.ask(`${method} ${url}`);
    const found = (id: string) => this.crates.find((one) => one.id === id) as Crate;
    if (method === 'DELETE') {
      this.straps = this.straps.filter(({ id }) => id !== url);
      return { let: url };
    }
    return { strap: this.addStrap(found(url), found((body as { to: string }).to)) };
  }
}

export type At = Scope<Yard>;

const thing = { id: z.string(), at: z.number() };
const crateSchema = z.object({
  ...thing,
  hall: z.string(),
  label: z.string(),
  labels: z.array(z.string()),
  paint: z.string(),
  isStored: z.boolean(),
  /** The labels of those that it is strapped to, by the straps. */
  strapped: z.record(z.string(), z.string()).default({}),
});
type HeldCrate = z.infer<typeof crateSchema>;
const noteSchema = z.object({ ...thing, crate: z.string(), says: z.string() });
const strapSchema = z.object({ ...thing, ends: z.tuple([z.string(), z.string()]) });
const idOf = ({ id }: Thing): string => id;
const timeOf = ({ at }: Thing): string => String(at).padStart(9, '0');

const halls = resource('halls', {
  about: 'a hall',
  path: '/:hall',
  schema: z.string(),
  key: (name) => name,
  list: async () => ['A', 'B'],
});
const straps = resource<Strap, Yard>('straps', {
  key: idOf,
  updatedAt: timeOf,
  about: 'what holds two crates together',
  schema: strapSchema,
  around: ({ ends }) => ends,
});
const crates: Resource<HeldCrate, Yard> = resource<HeldCrate, Yard>('crates', {
  key: idOf,
  updatedAt: timeOf,
  about: 'a crate',
  path: '/:hall/:crate.md',
  heldAt: '',
  within: ({ hall }) => ({ hall }),
  document: true,
  schema: crateSchema,
  name: ({ label }) => label,
  formerNames: ({ labels }) => labels,
  moved: ({ label }) => `it was carried off and is ${label} there`,
  listed: ({ isStored }) => isStored,
  parts: [straps],
  told: (crate, place) => ({
    ...crate,
    strapped: Object.fromEntries(
      place.parts(straps, crate.id).flatMap(({ id, ends }) => {
        const other = place.held(crates, ends.find((one) => one !== crate.id) ?? '');
        return other === null ? [] : [[id, other.label]];
      }),
    ),
  }),
  type: {
    name: 'crate',
    fields: {
      strapped: {
        schema: z.array(z.string()),
        access: 'edit',
        about: 'the labels of those that it is strapped to',
      },
      body: { ...prose('its paint'), access: 'read' },
    },
  },
  values: ({ paint, strapped }) => ({ strapped: Object.values(strapped).sort(), body: paint }),
  update: ({ id, strapped }, delta, { all }) => {
    const wanted = delta['strapped'] as string[];
    const gone = Object.entries(strapped).find(([, label]) => !wanted.includes(label));
    if (gone !== undefined) return { method: 'DELETE', url: gone[0], body: null };
    const added = wanted.find((label) => !Object.values(strapped).includes(label));
    const to = all(crates).find(({ label }) => label === added)?.id ?? '';
    return { method: 'POST', url: id, body: { to } };
  },
  made: (_answer, _request, one) => one,
  brings: (answer) => {
    const { strap, let: gone } = answer as { strap?: unknown; let?: string };
    return { straps: { ...(strap ? { made: [strap] } : {}), ...(gone ? { gone: [gone] } : {}) } };
  },
});
const places = resource<HeldCrate, Yard>('crate-places', {
  about: 'what is in it',
  path: '/:hall/:crate',
  of: crates,
  schema: crateSchema,
  key: ({ id }) => id,
  listed: ({ isStored }) => isStored,
  files: {
    'straps.tsv': {
      about: 'what holds it',
      columns: ['strap', 'to'],
      rows: ({ strapped }) => Object.entries(strapped),
    },
  },
});
const notes = resource<Note, Yard>('notes', {
  key: idOf,
  updatedAt: timeOf,
  about: 'a note',
  path: '/:hall/:crate/notes/:id.md',
  document: true,
  owner: { of: crates, key: ({ crate }) => crate },
  schema: noteSchema,
  get: async (id, { client }) => {
    client.ask(`note ${id}`);
    const data = client.notes.find((one) => one.id === id);
    return data === undefined ? null : { data };
  },
  text: ({ says }) => `${says}\n`,
});

/** Pages of rows of several kinds: the page after `from`, and what is left. */
async function* pagesOf(rows: Rows, { since, from, of }: Asking, ask: (names: string[]) => void) {
  const places = new Map<string, number>(
    from === null ? [...of.keys()].map((name) => [name, 0]) : JSON.parse(from),
  );
  while (places.size > 0) {
    ask([...places.keys()]);
    const page: Record<string, JointListing['of'][string]> = {};
    for (const [name, place] of [...places]) {
      const after = Number(of.get(name) ?? since ?? 0);
      const all = (rows[name] ?? []).filter(({ at }) => at > after);
      page[name] = {
        rows: all.slice(place, place + PAGE),
        cursor: String(Math.max(after, ...all.map(({ at }) => at))),
      };
      if (place + PAGE < all.length) places.set(name, place + PAGE);
      else places.delete(name);
    }
    const cursor = String(
      Math.max(...Object.values(rows).flatMap((all) => all.map(({ at }) => at)), 0),
    );
    yield {
      of: page,
      cursor,
      next: places.size > 0 ? JSON.stringify([...places]) : null,
    } satisfies JointPage;
  }
}

const ofHall = joint({
  id: 'crates',
  path: '/:hall',
  of: [crates, notes] as unknown as Resource<unknown>[],
  wide: [straps] as unknown as Resource<unknown>[],
  covers: { crates: ({ isStored }: HeldCrate) => isStored },
  basis: () => null,
  list: ({ client, params: { hall = '' } }: At, asking) => {
    const all = client.crates.filter((one) => one.hall === hall);
    const ids = all.map(({ id }) => id);
    const rows = {
      crates: all.filter(({ isStored }) => isStored || asking.since !== null),
      notes: client.notes.filter(({ crate }) => ids.includes(crate)),
      straps: client.straps,
    };
    return pagesOf(rows, asking, (names) => client.ask(`${hall}: ${names.join(' ')}`));
  },
});

const oneCrate = joint({
  id: 'crate',
  path: '/:hall/:crate',
  one: crates as Resource<unknown>,
  of: [straps, notes] as unknown as Resource<unknown>[],
  list: async ({ client, params: { crate: name = '' } }: At, { of }) => {
    client.ask(`crate ${name} with ${[...of.keys()].join(' ')}`);
    const one = client.crates.find(({ label, labels }) => [label, ...labels].includes(name));
    return {
      of: {
        crates: one === undefined ? [] : [one],
        straps: client.straps.filter(({ ends }) => ends.includes(one?.id ?? '')),
        notes: of.has('notes') ? client.notes.filter(({ crate }) => crate === one?.id) : [],
      },
    };
  },
});

/** @param paint what its crates show beside what is a change of theirs; null for nothing */
export function openYard(options: ServiceOptions, yard: Yard, paint: (() => string) | null = null) {
  return openResourceMount(options, {
    kind: 'yard',
    title: 'Yard',
    about: 'Crates.',
    client: () => yard,
    params: {
      hall: { matches: /^[AB]$/, example: 'A' },
      crate: { matches: /^[AB]-\d+$/, example: 'A-1' },
      id: { matches: /^n\d+$/, example: 'n1' },
    },
    resources: [halls, crates, places, notes, straps] as unknown as Resource<unknown>[],
    joints: [paint === null ? ofHall : { ...ofHall, basis: paint }, oneCrate],
  });
}
