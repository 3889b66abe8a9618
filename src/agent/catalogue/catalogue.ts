/**
 * The models that are known: `models.yaml` of the deployment, field by field
 * over a catalogue of its own or over the table that comes with the package.
 */
import fs from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../../errors.ts';
import { inTime } from '../../parts/in-time.ts';
import { schemaFaults } from '../../schema-faults.ts';
import { readYaml, YamlFault } from '../../yaml.ts';
import { BUILTIN_MODELS } from './builtin.ts';
import { factsSchema, type ModelCatalogue, type ModelFacts } from './facts.ts';

/** A catalogue has so long to answer, ms. */
const ANSWER_MS = 5_000;

const fileSchema = z.record(
  z.string().regex(/^[^/\s]+\/\S+$/, 'must be PROVIDER/NAME, or PROVIDER/BEGINNING*'),
  factsSchema,
);

type Table = Readonly<Record<string, ModelFacts>>;

/** What is known of models. */
export interface Models {
  /** @throws ConfigError where the catalogue of the deployment cannot be asked */
  facts(id: string): Promise<ModelFacts>;
  /** The names of the tables, sorted; those with a final * stand for several. */
  readonly names: readonly string[];
}

/**
 * Opens the catalogue of a deployment.
 * @param file `models.yaml`, which need not be there; null without a deployment
 * @param part the deployment's own catalogue, in the place of the built-in table
 * @throws ConfigError naming every fault of the file
 */
export function openModels(file: string | null, part: ModelCatalogue | null): Models {
  const own = file === null || !fs.existsSync(file) ? {} : parseModels(file);
  return {
    names: [...new Set([...Object.keys(own), ...(part ? [] : Object.keys(BUILTIN_MODELS))])].sort(),
    facts: async (id) => {
      const below = part === null ? found(BUILTIN_MODELS, id) : await asked(part, id);
      return { ...below, ...found(own, id) };
    },
  };
}

function parseModels(file: string): Table {
  const text = fs.readFileSync(file, 'utf8');
  try {
    return fileSchema.parse(readYaml(text).value ?? {});
  } catch (error) {
    if (error instanceof YamlFault) throw new ConfigError(file, error.message, error);
    if (!(error instanceof z.ZodError)) throw error;
    const faults = schemaFaults(error).join('\n  ');
    throw new ConfigError(file, `the models are not valid:\n  ${faults}`, error);
  }
}

/** The entry of that name, or the longest beginning of it that has one. */
function found(table: Table, id: string): ModelFacts {
  if (Object.hasOwn(table, id)) return table[id] as ModelFacts;
  const [best] = Object.keys(table)
    .filter((name) => name.endsWith('*') && id.startsWith(name.slice(0, -1)))
    .sort((a, b) => b.length - a.length);
  return best === undefined ? {} : (table[best] as ModelFacts);
}

async function asked(part: ModelCatalogue, id: string): Promise<ModelFacts> {
  try {
    const answer = await inTime(ANSWER_MS, (signal) => part.model(id, { signal }));
    return factsSchema.parse(answer ?? {});
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new ConfigError(
      'parts.models',
      `the catalogue says nothing usable of ${id}: ${why}`,
      error,
    );
  }
}
