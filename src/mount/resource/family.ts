/** What several services have alike. */
import type { ParamType } from '../table/route.ts';
import type { Resource, View } from './definition.ts';
import type { Finding, Inquiry } from './questions.ts';

/** Resources that many services have together, with all that is made of them: tables, conversations. */
export interface Family {
  params: Readonly<Record<string, ParamType>>;
  resources: readonly Resource<unknown>[];
  views?: readonly View<unknown>[];
  inquiries?: readonly Inquiry<never>[];
  findings?: readonly Finding<unknown, never>[];
}
