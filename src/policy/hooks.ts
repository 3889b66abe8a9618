/**
 * Hooks: the deployment's own code before and after an operation. A hook may
 * block the operation, or change what is written or what was read. It is host
 * code, named by the config, and runs in the world's worker, whose process
 * environment is empty. A hook that throws, or takes too long, blocks.
 */
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../errors.ts';
import { moduleAdvice } from '../module-advice.ts';
import type { HookOutcome, Operation, Origin } from './gate.ts';

/** What a hook is told. */
export interface HookOperation {
  op: Operation;
  /** Links resolved. */
  path: string;
  mount: string;
  origin: Origin;
  actor: string;
  /**
   * Of a write, a copy, and a file that is moved or gets a second name, at its new path: the
   * content. After a read: what was read.
   */
  data?: Uint8Array;
}

/** What a hook may answer; nothing at all lets the operation pass. */
export type HookAnswer = { block: string } | { data: Uint8Array | string } | undefined;

/** What the hooks module of a deployment exports as its default. */
export interface Hooks {
  /** Before a change is made, or a file is read. */
  before?(operation: HookOperation): HookAnswer | Promise<HookAnswer>;
  /** After it; for a read, before anyone sees the bytes. What a change did cannot be blocked any more. */
  after?(operation: HookOperation): HookAnswer | Promise<HookAnswer>;
}

/** A hook, or anything else that decides, has so many ms; then it is a refusal. */
export const DECISION_MS = 5_000;

/**
 * Loads the module of a deployment.
 * @throws ConfigError
 */
export async function loadHooks(file: string): Promise<Hooks> {
  const module = (await import(pathToFileURL(file).href).catch((cause: unknown) => {
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    throw new ConfigError(
      'hooks',
      `${file} could not be loaded: ${reason}${moduleAdvice(file, cause)}`,
      cause,
    );
  })) as { default?: unknown };
  const hooks = module.default;
  const isHooks =
    typeof hooks === 'object' &&
    hooks !== null &&
    ['before', 'after'].every((name) =>
      ['function', 'undefined'].includes(typeof (hooks as Record<string, unknown>)[name]),
    );
  if (!isHooks) {
    throw new ConfigError('hooks', `${file} should say "export default { before, after }"`);
  }
  return hooks as Hooks;
}

/** Runs one hook. It never throws: what goes wrong is a refusal. */
export async function runHook(
  hook: Hooks['before'],
  operation: HookOperation,
  timeoutMs = DECISION_MS,
): Promise<HookOutcome> {
  if (hook === undefined) return { pass: true };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<HookOutcome>((resolve) => {
    const reason = `the hook did not answer within ${timeoutMs / 1000} s`;
    timer = setTimeout(() => resolve({ pass: false, reason }), timeoutMs);
  });
  try {
    return await Promise.race([late, asked(hook, operation)]);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return { pass: false, reason: `the hook failed: ${what}` };
  } finally {
    clearTimeout(timer);
  }
}

async function asked(
  hook: NonNullable<Hooks['before']>,
  operation: HookOperation,
): Promise<HookOutcome> {
  const answer: unknown = await hook(operation);
  if (answer === undefined || answer === null) return { pass: true };
  if (typeof answer === 'object' && 'block' in answer) {
    return { pass: false, reason: String(answer.block) };
  }
  if (typeof answer === 'object' && 'data' in answer) {
    const { data } = answer;
    if (typeof data === 'string') return { pass: true, data: Buffer.from(data) };
    if (data instanceof Uint8Array) return { pass: true, data };
  }
  return { pass: false, reason: 'the hook answered neither { block }, nor { data }, nor nothing' };
}
