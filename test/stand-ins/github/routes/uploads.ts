/**
 * What people uploaded into issues and comments. There is no API for it: GitHub's site answers 404
 * to whoever may not see it, tokens of the fine-grained kind among them
 * (josegonzalez/python-github-backup 477, octokit/octokit.js 2786), and to the token of the API with
 * a redirect to a signed address at another host (openai/codex 43923, pingdotgg/t3code 10775).
 */
import { type Call, notFound, Refusal, type Reply, type Route } from '../http.ts';

function site(call: Call): Reply {
  const found = call.store.uploads.get(call.path);
  if (!found || call.viewer === null) throw notFound();
  const { port } = new URL(call.url);
  const signed = `http://localhost:${port}/__uploads${call.path}?X-Amz-Signature=5161`;
  return { status: 302, headers: { location: found.location ?? signed } };
}

/** The place that the site points to: the address is all that it wants, and no token may reach it. */
function kept(call: Call): Reply {
  if (call.viewer !== null) throw new Refusal(400, 'a token was sent to the place of uploads');
  const found = call.store.uploads.get(call.path.replace(/^\/__uploads/, ''));
  if (!found || call.query.get('X-Amz-Signature') !== '5161')
    throw new Refusal(403, 'AccessDenied');
  const data = Buffer.from(found.base64, 'base64');
  return { status: 200, bytes: { data, contentType: found.contentType } };
}

/** Routes of uploads. */
export function uploadRoutes(): Route[] {
  const get = (pattern: string, handle: (call: Call) => Reply): Route => ({
    method: 'GET',
    pattern,
    docs: '',
    handle,
  });
  return [
    // First: below it any repository seems to be one.
    get('/__uploads/{rest+}', kept),
    get('/user-attachments/assets/{rest+}', site),
    get('/user-attachments/files/{rest+}', site),
    get('/{owner}/{repo}/assets/{rest+}', site),
    get('/{owner}/{repo}/files/{rest+}', site),
  ];
}
