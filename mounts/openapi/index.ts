/** The OpenAPI mount: a REST service by its description; what it lists are directories, its records files. */
import { resolve } from 'node:path';
import {
  ConfigError,
  fileNameOf,
  HttpClient,
  openResourceMount,
  type ParamType,
  type ServiceMount,
  type ServiceOptions,
} from '../../src/mount/index.ts';
import { Checks } from './checking.ts';
import { Description, DescriptionFault, readDocument } from './description.ts';
import { type Hints, hintsOf } from './hints.ts';
import { namesBut, namesOf, onlyName } from './param-names.ts';
import { type Plan, planOf, RESERVED, type ResourcePlan } from './plan.ts';
import { Records } from './records.ts';
import { Resources } from './resources.ts';
import { addressOf, credentialOf } from './server.ts';

/** `file`: the description, JSON or YAML; `hints`: a file of them, or themselves. */
export interface OpenapiMountOptions extends ServiceOptions {
  file?: string | undefined;
  hints?: string | Readonly<Record<string, unknown>> | undefined;
}

/** So many paths that are not mounted are named, and kinds of records described, in README.md. */
const MOST_NAMED = 200;
const MOST_DESCRIBED = 12;
/** @throws ConfigError where the description or a hint cannot be used, or nothing of it can be mounted */
export function createOpenapiMount({
  file,
  hints: given,
  ...options
}: OpenapiMountOptions): ServiceMount {
  if (file === undefined) throw new ConfigError('', 'name the description: openapi:./FILE');
  const path = resolve(file);
  const from = new Description(readDocument(path), path);
  const hints =
    typeof given === 'string' ? hintsOf(readDocument(given), given) : hintsOf(given, 'hints');
  try {
    return opened(options, path, from, hints);
  } catch (error) {
    if (error instanceof DescriptionFault)
      throw new ConfigError('', `${path}: ${error.message}`, error);
    throw error;
  }
}

function opened(
  options: ServiceOptions,
  path: string,
  from: Description,
  hints: Hints,
): ServiceMount {
  const plan = planOf(from, hints);
  if (plan.resources.length === 0) {
    const [first] = plan.refused;
    throw new ConfigError(
      '',
      `${path} has nothing that can be mounted${first === undefined ? '' : `, such as ${first.path}: ${first.why}`}`,
    );
  }
  const baseUrl = addressOf(from, hints, options.baseUrl, options.token !== undefined);
  const credential = options.token === undefined ? {} : credentialOf(from, hints);
  const checks = new Checks(from);
  const all = plan.resources.map((one) => new Records(one, from, checks, takenBeside(one, plan)));
  const resources = new Resources(from);
  const levels = plan.levels.map((level) => resources.level(level));
  const mounted = all.map((records) => resources.of(records));
  const writable = all.filter(
    ({ plan: { kind }, create, update }) => kind !== 'single' && (create ?? update) !== null,
  );
  return openResourceMount(
    { ...options, baseUrl },
    {
      kind: 'openapi',
      file: path,
      title: from.title,
      about: from.about === '' ? `${from.title}, by its OpenAPI description.` : `${from.about}.`,
      hints: hintsFor(plan),
      records: writable.slice(0, MOST_DESCRIBED).map((records) => records.described()),
      client: (rest) =>
        new HttpClient({
          ...rest,
          ...credential,
          baseUrl,
          service: from.title,
          headers: { accept: 'application/json', ...hints.headers },
        }),
      params: paramsOf(plan),
      resources: [...levels, ...mounted.flat()],
    },
  );
}

/** Names beside a resource's records that stand for something else. */
function takenBeside({ directory }: ResourcePlan, { resources }: Plan): Set<string> {
  const below = resources
    .filter((one) => one.directory.startsWith(`${directory}/`))
    .map((one) => one.directory.slice(directory.length + 1).split('/')[0] ?? '');
  const singles = resources
    .filter((one) => one.kind === 'single' && one.directory === directory)
    .map((one) => one.oneParam);
  return new Set([...RESERVED, ...singles, ...below.filter((name) => !name.startsWith(':'))]);
}

function paramsOf(plan: Plan): Record<string, ParamType> {
  const own = plan.resources.map((one) => [
    one.param,
    one.kind === 'single' ? onlyName(one.oneParam) : namesBut(takenBeside(one, plan)),
  ]);
  const levels = plan.levels.map(({ param, values }) => [
    param,
    namesOf(values.map((one) => fileNameOf([one]))),
  ]);
  return Object.fromEntries([...own, ...levels]);
}

/** Which paths are not mounted, and why: one line for each reason. */
function hintsFor({ refused }: Plan): string[] {
  const byReason = Map.groupBy(refused.slice(0, MOST_NAMED), ({ why }) => why);
  const lines = [...byReason].map(
    ([why, paths]) =>
      `Not mounted, since ${why}: ${paths.map(({ path }) => `\`${path}\``).join(', ')}.`,
  );
  const more = refused.length - MOST_NAMED;
  return [
    'A name is the id of its record, with `%2F` and the like for what cannot stand in a name. What belongs to a record is in the directory beside its file; walks pass over it until it was listed.',
    ...lines,
    ...(more > 0 ? [`${more} more paths are not mounted.`] : []),
  ];
}
