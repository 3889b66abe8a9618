/** Why Node could not load a module of the deployment's, and what to do about it. */
import { extname } from 'node:path';

/** What Node says of ES module syntax in a file that a package.json makes CommonJS. */
const AS_COMMONJS =
  /^(?:Cannot use import statement|Unexpected token 'export'|Cannot use 'import\.meta')/;

const MODULE_NAMES: Readonly<Record<string, string>> = { '.ts': '.mts', '.js': '.mjs' };

/**
 * What to do, behind a message that says what failed; empty where Node's own words tell enough.
 * @param file the module that was to be loaded: an error may be of one that it imports
 */
export function moduleAdvice(file: string, error: unknown): string {
  if (!(error instanceof Error)) return '';
  const code = 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      return '; Node loads no TypeScript below node_modules: compile it to JavaScript there';
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      return '; Node only strips types: write it without enums, namespaces and parameter properties, or compile it to JavaScript';
    case 'ERR_UNKNOWN_FILE_EXTENSION':
      return '; this Node loads no such file: write it as .mjs, or take a newer Node';
  }
  const extension = extname(file);
  const name = MODULE_NAMES[extension];
  if (name === undefined || !AS_COMMONJS.test(error.message)) return '';
  return `; a package.json above it says "type": "commonjs", which makes ${extension} files CommonJS: name it ${file.slice(0, -extension.length)}${name}`;
}
