/**
 * Limits of sizes. https://developers.notion.com/reference/request-limits#size-limits
 * ("Limits for property values", "Limits for rich text objects"; 1,000 block elements and 500 KB overall).
 */
import type { Json } from './model.ts';
import { Refusal } from './refusal.ts';

const TEXT = 2000;
const ELEMENTS = 100;
const BYTES = 500_000;
const BLOCKS = 1000;
const MAX: Readonly<Record<string, number>> = {
  expression: 1000,
  email: 200,
  phone_number: 200,
  url: 2000,
};

/** @throws Refusal validation_error, in the service's words */
export function checkLimits(body: Json, bytes: number): void {
  if (bytes > BYTES) throw new Refusal('validation_error', `body is larger than ${BYTES} bytes.`);
  let blocks = 0;
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      if (value.length > ELEMENTS)
        refuse(`${path}.length`, `≤ \`${ELEMENTS}\``, String(value.length));
      for (const [index, one] of value.entries()) visit(one, `${path}[${index}]`);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [key, one] of Object.entries(value)) {
      if (key === 'children' && Array.isArray(one)) blocks += one.length;
      const max = key === 'content' && typeof one === 'string' ? TEXT : MAX[key];
      if (typeof one === 'string' && max !== undefined && one.length > max) {
        refuse(`${path}.${key}.length`, `≤ \`${max}\``, String(one.length));
      }
      visit(one, `${path}.${key}`);
    }
  };
  visit(body, 'body');
  if (blocks > BLOCKS) refuse('body.children.length', `≤ \`${BLOCKS}\` in all`, String(blocks));
  if (depthOf(body['children']) > 2) {
    // "we allow up to two levels of nesting in a single request" (append-block-children)
    throw new Refusal('validation_error', 'body.children has more than two levels of nesting.');
  }
}

function depthOf(children: unknown): number {
  if (!Array.isArray(children)) return 0;
  const below = children.map((child: Json) => {
    const content = child[String(child['type'])] as Json | undefined;
    return depthOf(content?.['children']);
  });
  return 1 + Math.max(0, ...below);
}

function refuse(path: string, rule: string, instead: string): never {
  throw new Refusal(
    'validation_error',
    `body failed validation: ${path} should be ${rule}, instead was \`${instead}\`.`,
  );
}
