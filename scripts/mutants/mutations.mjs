// The places of a file that a mutant can change, and to what.
import { parseSync } from 'oxc-parser';

const COMPARISONS = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' };
const SUMS = { '+': '-', '-': '+' };
const LOGIC = { '&&': '||', '||': '&&' };
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/**
 * @param {string} file its name @param {string} text what is in it
 * @returns {{ start: number, end: number, text: string, line: number, kind: string, before: string, after: string }[]}
 *   the text from `start` to `end` is replaced by `text`; the rest is for who reads
 */
export function mutationsOf(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const found = [];
  const add = (kind, { start, end }, replacement) =>
    found.push({
      kind,
      start,
      end,
      text: replacement,
      line: text.slice(0, start).split('\n').length,
      before: short(text.slice(start, end)),
      after: short(replacement),
    });
  const source = (node) => text.slice(node.start, node.end);
  walk(program, (node) => {
    const between = (left, right) => operatorPlace(text, node.operator, left, right);
    switch (node.type) {
      case 'BinaryExpression':
        if (node.operator in COMPARISONS)
          add('comparison', between(node.left, node.right), COMPARISONS[node.operator]);
        else if (node.operator in SUMS && !isText(node.left) && !isText(node.right))
          add('sum', between(node.left, node.right), SUMS[node.operator]);
        break;
      case 'LogicalExpression':
        if (node.operator === '??') add('default', node, source(node.left));
        else add('logic', between(node.left, node.right), LOGIC[node.operator]);
        break;
      case 'IfStatement':
      case 'ConditionalExpression':
      case 'WhileStatement':
        add('condition', node.test, `!(${source(node.test)})`);
        break;
      case 'ExpressionStatement':
        if (isCall(node.expression)) add('call', node, ';');
        break;
      case 'Literal':
        if (typeof node.value === 'number') add('constant', node, `${node.value + 1}`);
        break;
      case 'ArrayExpression': {
        // The middle one: the first and the last are what tests try anyway.
        const dropped = node.elements[Math.floor(node.elements.length / 2)];
        if (node.elements.length > 1 && dropped)
          add('element', node, withoutElement(node, dropped, text));
        break;
      }
      default:
        if (
          FUNCTIONS.has(node.type) &&
          node.body?.type === 'BlockStatement' &&
          returnsNothing(node.body)
        )
          add('return', { start: node.body.start, end: node.body.start + 1 }, '{ return;');
    }
  });
  return found;
}

/** Every node that runs; types do not, and what an error says is wording. */
function walk(node, visit) {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit);
    return;
  }
  if (typeof node?.type !== 'string' || isType(node)) return;
  visit(node);
  for (const key of Object.keys(node))
    if (!(node.type === 'ThrowStatement' && key === 'argument')) walk(node[key], visit);
}

function isType({ type }) {
  const runs = ['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'];
  return (type.startsWith('TS') && !runs.includes(type)) || type === 'ImportDeclaration';
}

/** A sum with text in it joins words: its opposite is no fault that anybody makes. */
function isText(node) {
  return (
    node.type === 'TemplateLiteral' ||
    (node.type === 'Literal' && typeof node.value === 'string') ||
    (node.type === 'BinaryExpression' && (isText(node.left) || isText(node.right)))
  );
}

function isCall(node) {
  return node.type === 'CallExpression'
    ? node.callee.type !== 'Super'
    : node.type === 'AwaitExpression' && isCall(node.argument);
}

/** Whether a function's body ends without a value wherever it ends, and does anything at all. */
function returnsNothing(body) {
  let values = 0;
  const look = (node) => {
    if (Array.isArray(node)) return node.forEach(look);
    if (typeof node?.type !== 'string' || FUNCTIONS.has(node.type)) return;
    if (node.type === 'ReturnStatement' && node.argument !== null) values++;
    Object.values(node).forEach(look);
  };
  look(body.body);
  return values === 0 && body.body.length > 0;
}

/** Where the operator stands: between both sides there are else only blanks, brackets and comments. */
function operatorPlace(text, operator, left, right) {
  const between = text
    .slice(left.end, right.start)
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, (comment) => ' '.repeat(comment.length));
  const start = left.end + between.indexOf(operator);
  return { start, end: start + operator.length };
}

function withoutElement(array, dropped, text) {
  const { elements } = array;
  const index = elements.indexOf(dropped);
  // With the comma before it, if none comes after it but a trailing one: a hole is an element, too.
  const next = elements[index + 1];
  const start = next === undefined ? elements[index - 1].end : dropped.start;
  return text.slice(array.start, start) + text.slice(next?.start ?? dropped.end, array.end);
}

function short(text) {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}
