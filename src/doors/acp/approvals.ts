/** Requests for approval, as an editor puts them to the person there. */
import {
  type AgentContext,
  methods,
  type RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import { type Answer, type Approval, describeOperation } from '../../policy/approval.ts';
import type { Visit } from '../door.ts';
import type { Names } from './names.ts';
import { askedText, text } from './updates.ts';

const ANSWERS: Readonly<Record<string, Omit<Answer, 'by'>>> = {
  once: { decision: 'allow', scope: 'once' },
  path: { decision: 'allow', scope: 'path' },
  no: { decision: 'deny' },
};

/** Shows the person at the editor what is asked for, and passes on their answer, for that and nothing else. */
export async function ask(
  { client, visit, names }: { client: AgentContext; visit: Visit; names: Names },
  approval: Approval,
): Promise<void> {
  const request: RequestPermissionRequest = {
    sessionId: visit.session,
    toolCall: {
      toolCallId: `approval-${approval.id}`,
      title: describeOperation(approval),
      kind: approval.op === 'call' || approval.op === 'tool' ? 'execute' : 'edit',
      status: 'pending',
      content: [{ type: 'content', content: text(askedText(approval)) }],
      locations: approval.path === '' ? [] : [{ path: names.outside(approval.path) }],
    },
    options: [
      { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'path', name: 'Allow for a day', kind: 'allow_always' },
      { optionId: 'no', name: 'Refuse', kind: 'reject_once' },
    ],
  };
  const { outcome } = await client.request(methods.client.session.requestPermission, request);
  // Who gave up the turn has not answered: the request stays, for dirigent approvals.
  if (outcome.outcome === 'cancelled') return;
  const answer = ANSWERS[outcome.optionId];
  if (answer !== undefined) await visit.approvals.decide(approval, answer);
}
