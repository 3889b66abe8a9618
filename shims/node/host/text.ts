/** What the guest asks the host of text: encodings, addresses, syntax. All of it computes, and reaches nothing. */
import { stripTypeScriptTypes } from 'node:module';
import { domainToASCII, domainToUnicode, format, pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import vm from 'node:vm';
import { exports as exportsOf, imports as importsOf } from 'resolve.exports';
import type { HostCalls } from '../engine.ts';
import type { Crossing } from '../guest/loose.ts';

const asText = (value: Crossing): string => String(value);
const asBytes = (value: Crossing): Buffer => {
  if (!(value instanceof Uint8Array)) throw new Error('no bytes');
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
};
const encodingOf = (value: Crossing): BufferEncoding => {
  const name = asText(value);
  return Buffer.isEncoding(name) ? name : 'utf8';
};

const SCHEMES = new Map([
  ['http:', 0],
  ['https:', 2],
  ['ws:', 3],
  ['ftp:', 4],
  ['wss:', 5],
  ['file:', 6],
]);
const OMITTED = 0xffffffff;

/** Where the parts of an address end, as Node.js's own class counts them. */
function partsOf({ href, protocol, username, password, host, port, search, hash }: URL): Crossing {
  const protocolEnd = protocol.length;
  const hasHost = href.startsWith('//', protocolEnd);
  let at = protocolEnd + (hasHost ? 2 : 0);
  const usernameEnd = at + username.length;
  at = usernameEnd + (password === '' ? 0 : password.length + 1);
  const hasCredentials = username !== '' || password !== '';
  const hostStart = at;
  const hostname = port === '' ? host : host.slice(0, -port.length - 1);
  const hostEnd = hostStart + (hasCredentials ? 1 : 0) + hostname.length;
  let pathStart = hostEnd + (port === '' ? 0 : port.length + 1);
  // A path that would read as a host has `/.` before it.
  if (!hasHost && href.startsWith('/.//', pathStart)) pathStart += 2;
  const hashStart =
    hash === '' ? (href.endsWith('#') ? href.length - 1 : OMITTED) : href.length - hash.length;
  const beforeHash = hashStart === OMITTED ? href.length : hashStart;
  const searchStart =
    search === ''
      ? href[beforeHash - 1] === '?'
        ? beforeHash - 1
        : OMITTED
      : beforeHash - search.length;
  const shownPort = port === '' ? OMITTED : Number(port);
  const scheme = SCHEMES.get(protocol) ?? 1;
  return {
    href,
    parts: [
      protocolEnd,
      usernameEnd,
      hostStart,
      hostEnd,
      shownPort,
      pathStart,
      searchStart,
      hashStart,
      scheme,
    ],
  };
}

const SETTERS = [
  'protocol',
  'host',
  'hostname',
  'port',
  'username',
  'password',
  'pathname',
  'search',
  'hash',
  'href',
] as const;

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];

/** `[message, stack]` of what V8 says of a text, or null where it can read it. */
function syntaxError(source: string, file: string, kind: string): Crossing {
  const text = source.replace(/^#!/, '//');
  try {
    if (kind === 'module') new vm.SourceTextModule(text, { identifier: file });
    else if (kind === 'script') new vm.Script(text, { filename: file });
    else vm.compileFunction(text, PARAMETERS, { filename: file });
    return null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const stack = String(error.stack).replace(/\n\s+at [\s\S]*$/, '');
    return [error.message, stack];
  }
}

function exported(text: string, specifier: string, by: string): Crossing {
  const manifest = JSON.parse(text) as { name?: string };
  const conditions = { require: by === 'require', unsafe: false };
  try {
    const found = specifier.startsWith('#')
      ? importsOf(manifest, specifier, conditions)
      : exportsOf(manifest, specifier, conditions);
    const [first] = found ?? [];
    if (first !== undefined) return first;
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
  return { wrong: `Package subpath '${specifier}' is not defined by "exports"` };
}

export const textCalls: HostCalls = {
  encode: (text, encoding) => Buffer.from(asText(text), encodingOf(encoding)),
  decode: (bytes, encoding) => asBytes(bytes).toString(encodingOf(encoding)),
  byteLength: (text) => Buffer.byteLength(asText(text)),
  isUtf8: (bytes) => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(asBytes(bytes));
      return true;
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  },
  decodeText: (bytes, label, isFatal, keepsMark, isPart) => {
    const options = { fatal: isFatal === true, ignoreBOM: keepsMark === true };
    return new TextDecoder(asText(label), options).decode(asBytes(bytes), {
      stream: isPart === true,
    });
  },
  knowsEncoding: (label) => {
    try {
      new TextDecoder(asText(label));
      return true;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  },
  atob: (text) => {
    try {
      return atob(asText(text));
    } catch (error) {
      if (error instanceof DOMException) return -1;
      throw error;
    }
  },
  btoa: (text) => (/[^\0-\xff]/.test(asText(text)) ? -1 : btoa(asText(text))),
  parseUrl: (input, base) => {
    const url = URL.parse(asText(input), base === undefined ? undefined : asText(base));
    return url === null ? null : partsOf(url);
  },
  updateUrl: (href, part, value) => {
    const url = new URL(asText(href));
    const setter = SETTERS[Number(part)];
    if (setter === undefined) return null;
    try {
      url[setter] = asText(value);
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    }
    return partsOf(url);
  },
  pathToFileUrl: (path) => partsOf(pathToFileURL(asText(path))),
  originOf: (href) => new URL(asText(href)).origin,
  domainToASCII: (name) => domainToASCII(asText(name)),
  domainToUnicode: (name) => domainToUnicode(asText(name)),
  formatUrl: (href, fragment, unicode, search, auth) =>
    format(new URL(asText(href)), {
      fragment: fragment === true,
      unicode: unicode === true,
      search: search === true,
      auth: auth === true,
    }),
  jsonError: (text) => {
    try {
      JSON.parse(asText(text));
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  },
  parseEnv: (text) => ({ ...parseEnv(asText(text)) }) as Crossing,
  stripTypes: (source) => {
    try {
      return { source: stripTypeScriptTypes(asText(source)) };
    } catch (error) {
      return { wrong: (error as Error).message };
    }
  },
  syntaxError: (source, file, kind) => syntaxError(asText(source), asText(file), asText(kind)),
  // What can be read as a script is one.
  isModule: (source) =>
    syntaxError(asText(source), '', 'commonjs') !== null &&
    syntaxError(asText(source), '', 'module') === null,
  resolveExports: (text, specifier, by) => exported(asText(text), asText(specifier), asText(by)),
  dataUrl: (url) => {
    const [, isBase64, body = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(asText(url)) ?? [];
    const text = decodeURIComponent(body);
    return isBase64 === undefined ? text : Buffer.from(text, 'base64').toString();
  },
};
