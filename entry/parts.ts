/**
 * The parts of the house that a deployment can replace by a module of its own:
 * what each has to have. A module exports, as its default, a part or what makes one.
 *
 * @module dirigent/parts
 */
export type {
  BudgetAnswer,
  BudgetPart,
  BudgetRequest,
  BudgetSpent,
} from '../src/agent/budget.ts';
export type { Ability, ModelCatalogue, ModelFacts } from '../src/agent/catalogue/facts.ts';
export type { Compaction, CompactionAnswer, CompactionRequest } from '../src/agent/compaction.ts';
export type {
  ConversationHooks,
  HookedBy,
  HookedMessage,
  InputAnswer,
  RequestAnswer,
} from '../src/agent/conversation-hooks.ts';
export type {
  Credential,
  CredentialRequest,
  CredentialSource,
} from '../src/credentials/credential.ts';
export type { PartGiven, PartModule } from '../src/parts/load.ts';
export type { PolicyEngine, PolicyQuestion, PolicyVerdict } from '../src/policy/engine.ts';
export type {
  ApprovalSurface,
  ShownRequest,
  SurfaceAnswer,
  SurfaceOptions,
} from '../src/policy/surface.ts';
export type { LogReader, LogStat, LogWriter, SessionStore } from '../src/session/store.ts';
export type { ExportedSpan, TraceExporter } from '../src/telemetry/exporter.ts';
