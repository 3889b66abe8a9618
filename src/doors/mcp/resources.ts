/**
 * Files as resources. The list is bounded, and asks no service: the README.md of
 * each mount, and what lies in /workspace itself. The template names the rest.
 */
import { isUtf8 } from 'node:buffer';
import {
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server';
import { labelled } from '../../agent/untrusted.ts';
import type { CallAccess } from '../../agent/world-access.ts';
import { FsError, isFsError } from '../../errors.ts';
import { resolvePath } from '../../paths.ts';
import type { McpClient } from './client.ts';

const SCHEME = 'dirigent://';
/** A file that is larger is read by parts, with the tools. Bytes. */
const LARGEST = 1024 * 1024;
/** On one page of the list. */
const PAGE = 100;
/** That a connection of the older protocol may have subscribed to. */
const SUBSCRIBED = 1_000;

/** The address of a file. */
export const uriOf = (path: string): string =>
  `${SCHEME}${path.split('/').map(encodeURIComponent).join('/')}`;

/** The path of an address. @throws ProtocolError */
function pathOf(uri: string): string {
  try {
    if (uri.startsWith(`${SCHEME}/`))
      return resolvePath('/', decodeURIComponent(uri.slice(SCHEME.length)));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw new ResourceNotFoundError(
    uri,
    `${uri} is no file of this world: a file's address is ${SCHEME}/ABSOLUTE/PATH`,
  );
}

/** The older protocol subscribes on its connection; of the newer one, a stream chooses from all. */
export type Told = 'subscribed' | 'all' | 'none';

export function serveResources(server: Server, client: McpClient, told: Told): void {
  const subscribed = new Set<string>();
  server.setRequestHandler('resources/list', async ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    if (!Number.isSafeInteger(from) || from < 0)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'no such page of the list');
    const all = await listed(client);
    const more = from + PAGE < all.length ? { nextCursor: String(from + PAGE) } : {};
    return { resources: all.slice(from, from + PAGE), ...more };
  });
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [
      { name: 'file', uriTemplate: `${SCHEME}/{+path}`, description: 'Any file of the world' },
    ],
  }));
  server.setRequestHandler('resources/read', async ({ params }) => ({
    contents: [await read(client, params.uri)],
  }));
  server.setRequestHandler('resources/subscribe', async ({ params }) => {
    pathOf(params.uri);
    if (subscribed.size >= SUBSCRIBED)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `${SUBSCRIBED} files are subscribed to, and no more at once`,
      );
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  if (told === 'none') return;
  const stop = client.onChanged((paths) => {
    for (const uri of paths.map(uriOf)) {
      if (told === 'subscribed' && !subscribed.has(uri)) continue;
      // One that is not connected any more tells nothing.
      server.sendResourceUpdated({ uri }).catch(stop);
    }
  });
  server.onclose = stop;
}

async function listed({ visit }: McpClient): Promise<Resource[]> {
  const { fs, mounts } = visit;
  const readmes = mounts.filter(({ service }) => service).map(({ point }) => `${point}/README.md`);
  const own = await fs.readdirWithFileTypes('/workspace').catch((error: unknown) => {
    // A deployment may have nothing there, or nothing for this client.
    if (isFsError(error)) return [];
    throw error;
  });
  const files = own.filter(({ isFile }) => isFile).map(({ name }) => `/workspace/${name}`);
  return [...readmes, ...files.sort()].map((path) => ({ uri: uriOf(path), name: path }));
}

async function read(client: McpClient, uri: string) {
  const path = pathOf(uri);
  const { access, tools } = await client.surface(false);
  const call = access.forCall();
  try {
    if (!tools.some(({ name }) => name === 'read'))
      throw refused(path, 'its agent may not call read');
    const tool = { name: 'read', host: false, readOnly: true, input: JSON.stringify({ path }) };
    const { decision, reason } = await call.permit(tool);
    if (decision !== 'allow') throw refused(path, reason);
    return { uri, ...(await contentOf(call, path)) };
  } catch (error) {
    if (!isFsError(error)) throw error;
    const reason = error.reason === undefined ? '' : `\n${error.reason}`;
    const message = `${path}: ${error.strerror}${reason}`;
    if (error.code === 'ENOENT') throw new ResourceNotFoundError(uri, message);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri });
  }
}

const refused = (path: string, reason: string): FsError =>
  new FsError('EACCES', { path, op: 'open', reason });

async function contentOf(call: CallAccess, path: string) {
  const { files } = call;
  const { isDirectory, size } = await files.stat(path);
  const names = isDirectory ? await files.readdir(path) : null;
  const large = new FsError('EFBIG', {
    path,
    op: 'read',
    reason: `it has more than ${LARGEST} bytes: read parts of it with the tools`,
  });
  if (names === null && size > LARGEST) throw large;
  const bytes =
    names === null ? await files.readFileBuffer(path) : Buffer.from(`${names.join('\n')}\n`);
  // What a service estimates may be less.
  if (bytes.length > LARGEST) throw large;
  const origins = call.origins();
  if (origins.length > 0) await call.noteUntrusted(origins);
  if (!isUtf8(bytes)) {
    const blob = Buffer.from(bytes).toString('base64');
    return { blob, mimeType: 'application/octet-stream' };
  }
  const text = Buffer.from(bytes).toString();
  return {
    text: origins.length === 0 ? text : labelled(text, origins),
    mimeType: path.endsWith('.md') ? 'text/markdown' : 'text/plain',
  };
}
