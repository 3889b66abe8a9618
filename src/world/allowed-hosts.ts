/** The hosts that a deployment allows, as `network.allow` names them. */
import { BlockList, isIP } from 'node:net';

/** One row of the list. */
export interface AllowedHost {
  /** null: both. */
  protocol: 'http:' | 'https:' | null;
  /** In lower case, without brackets; with `*.` before it, all names below it. */
  host: string;
  /** null: that of the protocol. */
  port: string | null;
}

/** Reads a row; null where it is none. */
export function parseAllowed(text: string): AllowedHost | null {
  const match =
    /^(?:(https?):\/\/)?(\*\.)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(?::(\d{1,5}))?\/?$/.exec(text);
  if (match === null) return null;
  const [, protocol, wild = '', host = '', port] = match;
  return {
    protocol: protocol === undefined ? null : (`${protocol}:` as 'http:' | 'https:'),
    host: wild + asWritten(host),
    port: port ?? null,
  };
}

/** A host as addresses have it: `[::ffff:127.0.0.1]` is `::ffff:7f00:1` there. */
const asWritten = (host: string): string =>
  bare(URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host);

const bare = (hostname: string): string =>
  hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

/** The row that allows an address; undefined where none does. */
export function allowedFor(url: URL, rows: readonly AllowedHost[]): AllowedHost | undefined {
  const name = bare(url.hostname);
  const standard = url.protocol === 'https:' ? '443' : '80';
  const port = url.port === '' ? standard : url.port;
  return rows.find((row) => {
    if (row.protocol !== null && row.protocol !== url.protocol) return false;
    if (port !== (row.port ?? standard)) return false;
    return row.host.startsWith('*.')
      ? name.endsWith(row.host.slice(1)) && name.length > row.host.length - 1
      : name === row.host;
  });
}

/** May a row lead to an address of a private network? It names one, or this machine. */
export function namesPrivate({ host }: AllowedHost): boolean {
  return isIP(host) !== 0 || host === 'localhost';
}

const PRIVATE: ReadonlyArray<readonly [net: string, prefix: number, family: 'ipv4' | 'ipv6']> = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];

/** Tells addresses of private networks, of this machine, and of no use, those written as IPv6 included. */
export function privateAddresses(): (address: string) => boolean {
  const list = new BlockList();
  for (const [net, prefix, family] of PRIVATE) list.addSubnet(net, prefix, family);
  return (address) => {
    const mapped = /^::(?:ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
    const plain = mapped ?? address;
    return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}
