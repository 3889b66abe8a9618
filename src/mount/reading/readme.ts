/** The README.md of a service mount, made from its table: what is where, and what may be written. */
import { clock } from '../client/failure.ts';
import { type RecordType, writable } from '../record/record.ts';
import type { Route, Service } from '../table/route.ts';
import type { Freshness } from './freshness.ts';

/** So many answers are named with their ages; of the others the oldest is told. */
const NAMED_MOST = 20;

export interface ReadmeOptions {
  service: Service;
  freshness: Freshness;
  /** True: writes become pending changes. */
  stage: boolean;
}

/** The text, in markdown; what it cost so far is as of now. */
export function renderReadme({ service, freshness, stage }: ReadmeOptions): string {
  const { requests, bytes } = service.usage();
  return [
    `# ${service.title}`,
    service.about,
    ...(stage ? [STAGED] : []),
    '## What is where',
    service.routes.map((route) => routeLine(route, service.params)).join('\n'),
    ...writing(service),
    ...recordTypes(service).map(recordSection),
    ...(service.hints.length === 0
      ? []
      : ['## Good to know', service.hints.map((hint) => `- ${hint}`).join('\n')]),
    ...fresh(freshness),
    '## What it cost so far',
    `${requests} requests and ${bytes} bytes since this world began.`,
    '',
  ].join('\n\n');
}

const STAGED =
  '**Writes here are staged**: nothing is sent until somebody applies it. What you write is checked, reads show it, and it waits in `/session/changes/ID/`: `diff.patch`, `request.json`, `status`. Write again to change it; writing what was there takes it back. The deployer reviews it with `dirigent changes list`, `show ID`, `apply ID` or `drop ID`.';

/** How its records are written: in the forms that they have, under the names that make new ones. */
function writing(service: Service): string[] {
  const written = service.routes.filter(({ edit, create }) => (edit ?? create) !== undefined);
  if (written.length === 0) return [];
  const isJson = written.every(({ pattern }) => pattern.endsWith('.json'));
  const made = new Set(
    written
      .filter(({ create }) => create !== undefined)
      .map(({ pattern }) => `\`${pattern.slice(pattern.lastIndexOf('/') + 1)}\``),
  );
  const file = isJson
    ? 'A record is one JSON object, a field a member.'
    : 'A record is one markdown file: fields between two `---` lines, the text below.';
  const checked =
    'A write is checked before anything is sent; every wrong field is named, and the latest refusal is in `.error` of that directory. A field that is left out is left alone.';
  const names = [...made].join(' or ');
  const making = `${names} makes a record: read it for a template, write it once with \`>\`. \`.last\` of that directory is then one path: the record that was made, or, where none was (yet), \`/session/changes/ID\`, whose \`status\` and \`error\` say why. ${[...made].join(', ')}, \`.last\` and \`.error\` are found when named and are in no listing.`;
  return ['## Writing', [file, checked, ...(made.size === 0 ? [] : [making])].join(' ')];
}

/** As of when what was asked for here is. */
function fresh(freshness: Freshness): string[] {
  const known = freshness.known();
  const rows = known
    .slice(0, NAMED_MOST)
    .map(({ what, heldSince, lacking }) => `- ${what}: ${standing(heldSince, lacking)}`);
  const others = known.slice(NAMED_MOST).map(({ heldSince }) => heldSince);
  if (others.length > 0) {
    const oldest = others.includes(null) ? null : Math.min(...others.map(Number));
    rows.push(`- and ${others.length} more, the oldest of them ${age(oldest)}`);
  }
  return rows.length === 0 ? [] : ['## How fresh it is', rows.join('\n')];
}

function standing(heldSince: number | null, lacking: string | undefined): string {
  if (lacking === undefined) return age(heldSince);
  return `incomplete: ${lacking}${heldSince === null ? '' : `; ${age(heldSince)}`}`;
}

function age(heldSince: number | null): string {
  return heldSince === null ? 'not held' : `as of ${clock(new Date(heldSince))} UTC`;
}

function routeLine(route: Route, params: Service['params']): string {
  const path = route.pattern
    .slice(1)
    .replace(/:([a-z_]+)\+?/g, (_all, name: string) => params[name]?.shown ?? name.toUpperCase());
  const marks = [
    ...(route.edit === undefined && route.replace === undefined ? [] : ['writable']),
    ...(route.hidden === true ? ['not listed'] : []),
    ...(route.costly !== undefined && route.costly !== false
      ? [
          `costs a request of its own: name it to ${route.type === 'directory' ? 'list' : 'read'} it`,
        ]
      : []),
  ];
  const tail = marks.length === 0 ? '' : ` (${marks.join('; ')})`;
  return `- \`${path}${route.type === 'directory' ? '/' : ''}\`: ${route.about}${tail}`;
}

/** Each kind of record once, as its edit or its creation has it. */
function recordTypes(service: Service): RecordType[] {
  const types = service.routes.flatMap((route) =>
    [route.edit?.record, route.create?.record].filter((type) => typeof type === 'object'),
  );
  types.unshift(...(service.records ?? []));
  return [...new Map(types.map((type) => [type.name, type])).values()];
}

function recordSection(type: RecordType): string {
  const rows = writable(type).map((name) => {
    const spec = type.fields[name];
    return `- \`${name}\`${spec?.required === true ? ' (required)' : ''}: ${spec?.about ?? ''}`;
  });
  const fixed = Object.keys(type.fields).filter((name) => type.fields[name]?.access === 'read');
  const note = fixed.length === 0 ? '' : `\n- set by the service: ${fixed.join(', ')}`;
  return `### ${type.name}\n${rows.join('\n')}${note}`;
}
