/**
 * A world as a sandbox for the AI SDK's harnesses (`@ai-sdk/harness`).
 *
 * @module dirigent/ai-sdk
 */
import { sourceTable } from '../mounts/index.ts';
import { type HarnessProvider, harnessProvider } from '../src/doors/sandbox/harness-provider.ts';
import type { SandboxPlace } from '../src/doors/sandbox/place.ts';
import { createWorld, type WorldConfig } from './index.ts';

export type { HarnessProvider, HarnessSession } from '../src/doors/sandbox/harness-provider.ts';
export type { SandboxPlace } from '../src/doors/sandbox/place.ts';

/** A sandbox provider, for the `sandbox` of a harness. */
export const dirigentSandbox = (place: SandboxPlace<WorldConfig> = {}): HarnessProvider =>
  harnessProvider(place, { createWorld, sources: sourceTable });
