/**
 * What a query costs, by https://linear.app/developers/rate-limiting: a property is 0.1 point, an
 * object 1, and a connection multiplies its children by the size of its page (50 where none is given).
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { DEFAULT_FIRST } from './connections.ts';

/** A single query may not cost more. */
export const MAX_COMPLEXITY = 10_000;

type Variables = Readonly<Record<string, unknown>>;

export function complexityOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Variables,
): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const on = (name: string | undefined, type: GraphQLNamedType): GraphQLNamedType =>
    (name === undefined ? undefined : schema.getType(name)) ?? type;
  const cost = (set: SelectionSetNode, type: GraphQLNamedType): number => {
    let sum = 0;
    for (const node of set.selections) {
      if (excluded(node.directives ?? [], variables)) continue;
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(node.name.value);
        if (fragment !== undefined) {
          sum += cost(fragment.selectionSet, on(fragment.typeCondition.name.value, type));
        }
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        // Which of several kinds a record is, is not known before: each of them counts.
        sum += cost(node.selectionSet, on(node.typeCondition?.name.value, type));
      } else {
        const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
        const field = fields[node.name.value];
        const below = field === undefined ? undefined : getNamedType(field.type);
        if (node.selectionSet === undefined || below === undefined) sum += 0.1;
        else if (!/(Connection|SearchPayload)$/.test(below.name))
          sum += 1 + cost(node.selectionSet, below);
        else sum += sizeOf(node.arguments ?? [], variables) * cost(node.selectionSet, below);
      }
    }
    return isCompositeType(type) ? sum : 0;
  };
  let total = 0;
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const root = schema.getRootType(node.operation);
    if (root) total += cost(node.selectionSet, root);
  }
  return Math.ceil(total);
}

interface Named {
  name: { value: string };
}

function sizeOf(nodes: readonly (Named & { value: ValueNode })[], variables: Variables): number {
  const given = nodes.find(({ name }) => name.value === 'first' || name.value === 'last');
  const size = given === undefined ? undefined : argumentValue(given.value, variables);
  return typeof size === 'number' ? size : DEFAULT_FIRST;
}

function excluded(
  directives: readonly (Named & { arguments?: readonly (Named & { value: ValueNode })[] })[],
  variables: Variables,
): boolean {
  return directives.some(({ name, arguments: given }) => {
    const [condition] = given ?? [];
    const value = condition === undefined ? undefined : argumentValue(condition.value, variables);
    return name.value === 'include' ? value === false : name.value === 'skip' && value === true;
  });
}

function argumentValue(node: ValueNode, variables: Variables): unknown {
  if (node.kind === Kind.VARIABLE) return variables[node.name.value];
  if (node.kind === Kind.INT) return Number(node.value);
  if (node.kind === Kind.BOOLEAN) return node.value;
  return undefined;
}
