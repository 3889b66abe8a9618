/** The syntax tree of an awk program. */

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '^';
export type Relation = '<' | '<=' | '==' | '!=' | '>' | '>=';

export interface NameNode {
  kind: 'name';
  name: string;
  line: number;
}

/** `a[i, j]`; `array` is a name, or an element that is an array itself. */
export interface IndexNode {
  kind: 'index';
  array: ArrayNode;
  subscripts: Expr[];
  line: number;
}

export interface FieldNode {
  kind: 'field';
  index: Expr;
  line: number;
}

export type ArrayNode = NameNode | IndexNode;
export type Target = NameNode | IndexNode | FieldNode;

export interface GetlineNode {
  kind: 'getline';
  /** Where lines come from: the main input, a file, or a command's output. */
  source: 'main' | 'file' | 'command';
  target: Target | null;
  from: Expr | null;
  line: number;
}

export type Expr =
  | Target
  | GetlineNode
  | { kind: 'number'; value: number }
  | { kind: 'string'; value: string }
  | { kind: 'regex'; source: string; line: number }
  | { kind: 'assign'; operator: BinaryOperator | null; target: Target; value: Expr; line: number }
  | { kind: 'step'; target: Target; by: 1 | -1; prefix: boolean }
  | { kind: 'conditional'; condition: Expr; yes: Expr; no: Expr }
  | { kind: 'and' | 'or'; left: Expr; right: Expr }
  | { kind: 'not' | 'minus' | 'plus'; operand: Expr }
  | { kind: 'binary'; operator: BinaryOperator; left: Expr; right: Expr; line: number }
  | { kind: 'concat'; left: Expr; right: Expr }
  | { kind: 'compare'; operator: Relation; left: Expr; right: Expr }
  | { kind: 'match'; negated: boolean; left: Expr; right: Expr; line: number }
  | { kind: 'in'; subscripts: Expr[]; array: ArrayNode }
  /** A list in brackets: only before `in`, and as what print prints. */
  | { kind: 'group'; items: Expr[]; line: number }
  | { kind: 'call'; name: string; args: Expr[]; line: number }
  | { kind: 'builtin'; name: string; args: Expr[]; line: number };

export interface Redirect {
  kind: '>' | '>>' | '|';
  to: Expr;
}

export type Statement = { line: number } & (
  | { kind: 'block'; body: Statement[] }
  | { kind: 'expression'; value: Expr }
  | { kind: 'print'; args: Expr[]; redirect: Redirect | null }
  | { kind: 'printf'; args: Expr[]; redirect: Redirect | null }
  | { kind: 'if'; condition: Expr; yes: Statement; no: Statement | null }
  | { kind: 'while'; condition: Expr; body: Statement }
  | { kind: 'do'; condition: Expr; body: Statement }
  | {
      kind: 'for';
      init: Statement | null;
      condition: Expr | null;
      step: Statement | null;
      body: Statement;
    }
  | { kind: 'forIn'; target: NameNode; array: ArrayNode; body: Statement }
  | { kind: 'switch'; value: Expr; cases: Case[] }
  | { kind: 'break' | 'continue' | 'next' | 'nextfile' }
  | { kind: 'exit' | 'return'; value: Expr | null }
  | { kind: 'delete'; array: ArrayNode; subscripts: Expr[] | null }
);

/** `case x:` with null for `default:`; what follows it falls through to the next. */
export interface Case {
  label: Expr | null;
  body: Statement[];
}

export type Pattern =
  | { kind: 'begin' | 'end' | 'beginfile' | 'endfile' | 'always' }
  | { kind: 'when'; condition: Expr }
  | { kind: 'range'; from: Expr; to: Expr };

export interface Rule {
  pattern: Pattern;
  /** null prints the record. */
  body: Statement | null;
  line: number;
}

export interface FunctionNode {
  name: string;
  parameters: string[];
  body: Statement;
  line: number;
}

export interface Program {
  rules: Rule[];
  functions: Map<string, FunctionNode>;
}

interface AnyNode {
  kind: string;
}

function isNode(part: unknown): part is AnyNode {
  return typeof part === 'object' && part !== null && 'kind' in part;
}

/** Every node of a tree, the outer ones first. */
export function walk(part: unknown, visit: (node: Expr | Statement) => void): void {
  if (Array.isArray(part)) {
    for (const one of part) walk(one, visit);
    return;
  }
  if (typeof part !== 'object' || part === null) return;
  // What has a kind is an expression, a statement, a pattern or a redirection; who visits looks at the kind.
  if (isNode(part)) visit(part as Expr | Statement);
  for (const inner of Object.values(part)) walk(inner, visit);
}
