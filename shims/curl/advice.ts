/** Where under the mounts of a world a web address is a file. */
import type { MountedAt, Network } from '../../src/shell/command.ts';

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
};

/** A path below a mount of GitHub; undefined where the address is none of a repository. */
function onGitHub(url: URL, point: string): string | undefined {
  const parts = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const api = url.hostname === 'api.github.com';
  const words = api && parts[0] === 'repos' ? parts.slice(1) : api ? [] : parts;
  const [owner, name, kind, ...rest] = words;
  if (owner === undefined || name === undefined) return undefined;
  // A mount of one repository is called by its name, or has its files at once.
  const named = point.toLowerCase().endsWith(`/${owner}/${name}`.toLowerCase());
  const root = named ? point : `${point}/${owner}/${name.replace(/\.git$/, '')}`;
  if (url.hostname === 'raw.githubusercontent.com') {
    const path = [kind, ...rest].slice(1);
    // refs/heads/BRANCH/PATH, or BRANCH/PATH
    return `${root}/files/${(kind === 'refs' ? rest.slice(2) : path).join('/')}`;
  }
  const number = rest[0];
  if (kind === 'issues')
    return number === undefined ? `${root}/issues` : `${root}/issues/${number}.md`;
  if (kind === 'pull' || kind === 'pulls')
    return number === undefined ? `${root}/pulls` : `${root}/pulls/${number}.md`;
  if (kind === 'blob' || kind === 'tree' || kind === 'raw')
    return `${root}/files/${rest.slice(1).join('/')}`;
  if (kind === 'contents') return `${root}/files/${rest.join('/')}`;
  return root;
}

function onLinear(url: URL, point: string): string {
  const key = /\/issue\/([A-Za-z0-9]+)-(\d+)/.exec(url.pathname);
  if (key === null) return point;
  const team = (key[1] ?? '').toUpperCase();
  return `${point}/teams/${team}/issues/${team}-${key[2]}.md`;
}

const SERVICES: ReadonlyArray<{
  kind: string;
  host: RegExp;
  path(url: URL, point: string): string | undefined;
}> = [
  { kind: 'github', host: /(?:^|\.)github\.com$|^raw\.githubusercontent\.com$/, path: onGitHub },
  { kind: 'linear', host: /(?:^|\.)linear\.app$/, path: onLinear },
  {
    kind: 'notion',
    host: /(?:^|\.)notion\.(?:so|site|com)$/,
    path: (url, point) =>
      /[0-9a-f]{32}/i.test(url.pathname)
        ? `${point}/by-id/${/([0-9a-f]{32})/i.exec(url.pathname)?.[1]}`
        : point,
  },
];

/** What to do instead of asking an address: one sentence. */
export function adviceFor(url: URL, mounts: readonly MountedAt[], network: Network | null): string {
  const service = SERVICES.find(({ host }) => host.test(url.hostname));
  const points = mounts.filter(({ kind }) => kind === service?.kind);
  for (const { point } of points) {
    const path = service?.path(url, point);
    if (path !== undefined) return `it is a file here: cat ${path}, or ls ${path}`;
  }
  if (service !== undefined) {
    return `${service.kind} is not mounted in this world; who deploys it can mount it in dirigent.config.ts`;
  }
  const others = mounts.filter(({ point }) => point.startsWith('/mnt/')).map(({ point }) => point);
  const where = others.length === 0 ? '' : `; what is mounted is at ${others.join(', ')}`;
  const allowed = network === null ? '' : ` (now: ${network.allow.join(', ')})`;
  return `a world asks only the hosts that its deployer allows, by network: { allow: ['${url.hostname}'] }${allowed}${where}`;
}
