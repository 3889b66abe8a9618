/** One GraphQL request, from its text to its answer. */
import {
  buildSchema,
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  Kind,
  NoDeprecatedCustomRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { z } from 'zod';
import { complexityOf, MAX_COMPLEXITY } from './complexity.ts';
import { tooComplex } from './errors.ts';
import { fieldResolver, typeResolver } from './resolvers.ts';
import { deriveSdl, sdkTypes } from './sdl.ts';
import type { Store } from './store.ts';

export const bodySchema = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** A request as far as it can be told before it is carried out. */
export interface Parsed {
  document: DocumentNode;
  variables: Readonly<Record<string, unknown>>;
  operation: 'query' | 'mutation';
  /** The fields of the root that it asks for. */
  fields: string[];
  complexity: number;
}

/** What is wrong with a request before any of it is carried out. */
export interface Refused {
  errors: readonly object[];
}

const TIME = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** What a scalar takes, by its description in the SDK's types. */
const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  DateTime: (value) =>
    typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value)),
  DateTimeOrDuration: (value) =>
    typeof value === 'string' && (TIME.test(value) || /^-?P/.test(value)),
  TimelessDate: (value) =>
    typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value)),
};

export class Api {
  readonly #schema: GraphQLSchema;

  /**
   * What a document must keep to. Fields that Linear has deprecated are refused, as they will be
   * once it has removed them: https://linear.app/developers/deprecations.
   */
  #rules = [...specifiedRules, NoDeprecatedCustomRule];

  /** Derives the schema: some 0.3 s, so nothing of it is kept in the repository. */
  constructor() {
    this.#schema = buildSchema(deriveSdl(sdkTypes()));
    for (const type of Object.values(this.#schema.getTypeMap())) {
      if (isScalarType(type)) restrict(type);
    }
  }

  /** Are deprecated fields still answered, as Linear does for the time being? */
  answerDeprecated(answered: boolean): void {
    this.#rules = [...specifiedRules, ...(answered ? [] : [NoDeprecatedCustomRule])];
  }

  read(body: z.infer<typeof bodySchema>): Parsed | Refused {
    let document: DocumentNode;
    try {
      document = parse(body.query);
    } catch (error) {
      if (error instanceof GraphQLError)
        return { errors: [described(error, 'GRAPHQL_PARSE_FAILED')] };
      throw error;
    }
    const errors = validate(this.#schema, document, this.#rules);
    if (errors.length > 0) {
      return { errors: errors.map((error) => described(error, 'GRAPHQL_VALIDATION_FAILED')) };
    }
    const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
    if (operation?.kind !== Kind.OPERATION_DEFINITION)
      return { errors: [{ message: 'no operation' }] };
    const variables = body.variables ?? {};
    const complexity = complexityOf(this.#schema, document, variables);
    if (complexity > MAX_COMPLEXITY) return { errors: [tooComplex(complexity, MAX_COMPLEXITY)] };
    return {
      document,
      variables,
      complexity,
      operation: operation.operation === 'mutation' ? 'mutation' : 'query',
      fields: operation.selectionSet.selections.map((node) =>
        node.kind === Kind.FIELD ? node.name.value : '…',
      ),
    };
  }

  /** Carries it out; variables are checked against the schema before anything is. */
  async execute({ document, variables }: Parsed, store: Store, userId: string, lag: number) {
    const result = await execute({
      schema: this.#schema,
      document,
      variableValues: variables,
      contextValue: { store, userId, listed: store.before(lag) },
      fieldResolver,
      typeResolver,
    });
    const { data, errors } = result;
    return { ...(errors === undefined ? {} : { errors }), data: data ?? null };
  }
}

function restrict(type: GraphQLScalarType): void {
  const accepts = SCALARS[type.name];
  if (accepts === undefined) return;
  const inner = type.parseValue.bind(type);
  type.parseValue = (value) => {
    if (!accepts(value)) throw new GraphQLError(`${type.name} cannot be ${JSON.stringify(value)}`);
    return inner(value);
  };
}

function described(error: GraphQLError, code: string): object {
  const extensions = { type: 'graphql error', code, userError: true };
  return { ...error.toJSON(), extensions };
}
