/** Where the service is, and how the credential goes there: only where the deployer says so. */
import { ConfigError, type HttpOptions } from '../../src/mount/index.ts';
import type { Description, Node } from './description.ts';
import type { Hints } from './hints.ts';

/**
 * The address of the service.
 * @param given of the config, which goes before what the description says
 * @throws ConfigError where none is known; and where a credential would go where only the description points
 */
export function addressOf(
  from: Description,
  hints: Hints,
  given: string | undefined,
  hasToken: boolean,
): string {
  if (given !== undefined) return given;
  const [server] = from.list(from.root('servers'));
  const url = server === undefined ? '' : filledIn(from, server, hints);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    const what =
      url === '' ? 'names no server' : `names the server ${url}, which is no whole address`;
    throw new ConfigError('', `the description ${what}: name it in \`baseUrl\``);
  }
  if (!hasToken) return url;
  throw new ConfigError(
    '',
    `a credential goes only where the config says: if ${url}, as the description has it, is right, name it in \`baseUrl\``,
  );
}

function filledIn(from: Description, server: Node, hints: Hints): string {
  const variables = from.node(server['variables']);
  return String(server['url'] ?? '').replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const preset = from.node(variables[name])['default'];
    return hints.server?.[name] ?? (typeof preset === 'string' ? preset : whole);
  });
}

type Credential = Pick<HttpOptions, 'authorization' | 'parameters'>;

/**
 * How the token goes along.
 * @throws ConfigError where the description has several ways, and none is chosen
 */
export function credentialOf(from: Description, hints: Hints): Credential {
  const { auth } = hints;
  if (typeof auth === 'object') {
    const { header, prefix = '' } = auth;
    return { authorization: (token) => ({ [header.toLowerCase()]: `${prefix}${token}` }) };
  }
  const schemes = from.node(from.root('components', 'securitySchemes'));
  const names = Object.keys(schemes);
  const name = auth ?? usualOf(from, names);
  if (name === undefined) return {};
  if (!names.includes(name)) {
    throw new ConfigError(
      '',
      `auth: the description has no scheme ${name}; it has ${names.join(', ') || 'none'}`,
    );
  }
  return wayOf(name, from.node(schemes[name]));
}

/** The first scheme that suffices alone, as the description lists them. */
function usualOf(from: Description, names: readonly string[]): string | undefined {
  const security = from.root('security');
  const alone = (Array.isArray(security) ? security : []).map((one) => Object.keys(from.node(one)));
  return alone.find((one) => one.length === 1 && names.includes(one[0] ?? ''))?.[0] ?? names[0];
}

function wayOf(name: string, scheme: Node): Credential {
  const { type, scheme: kind, in: where, name: key } = scheme;
  if (type === 'apiKey' && typeof key === 'string') {
    if (where === 'query') return { parameters: (token) => ({ [key]: token }) };
    const header = where === 'cookie' ? 'cookie' : key.toLowerCase();
    return {
      authorization: (token) => ({ [header]: where === 'cookie' ? `${key}=${token}` : token }),
    };
  }
  if (type === 'http' && String(kind).toLowerCase() === 'basic') {
    // `USER:PASSWORD`, as it is in the variable.
    return {
      authorization: (token) => ({
        authorization: `Basic ${Buffer.from(token).toString('base64')}`,
      }),
    };
  }
  if (type === 'http' && String(kind).toLowerCase() !== 'bearer') {
    throw new ConfigError(
      '',
      `auth: ${name} is HTTP ${String(kind)}, which is not spoken here; basic and bearer are`,
    );
  }
  // OAuth 2 and OpenID Connect end in a bearer token.
  return {};
}
