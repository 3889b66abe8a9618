/** What a client says that it can: with each request, or of the older protocol once, as it began. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

export function capabilitiesOf(
  server: Server,
  { envelope }: ServerContext['mcpReq'],
): ClientCapabilities {
  if (envelope === undefined) return server.getClientCapabilities() ?? {};
  const declared: Readonly<Record<string, unknown>> = envelope;
  return (declared[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? {};
}

/** Can the client put a form to its person? `elicitation: {}` is how clients said so before there were others. */
export function hasForms({ elicitation }: ClientCapabilities): boolean {
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}
