/**
 * A world as a sandbox provider of `eve`.
 *
 * @module dirigent/eve
 */
import { sourceTable } from '../mounts/index.ts';
import { type EveProvider, eveProvider } from '../src/doors/sandbox/eve-provider.ts';
import type { SandboxPlace } from '../src/doors/sandbox/place.ts';
import { createWorld, type WorldConfig } from './index.ts';

export type { EveProvider, EveSession } from '../src/doors/sandbox/eve-provider.ts';
export type { SandboxPlace } from '../src/doors/sandbox/place.ts';

/** For `defineSandboxProvider` of `eve/sandbox/provider`. */
export const dirigentProvider = (place: SandboxPlace<WorldConfig> = {}): EveProvider =>
  eveProvider(place, { createWorld, sources: sourceTable });
