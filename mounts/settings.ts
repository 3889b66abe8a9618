/** What single sources may say in a mount's object, as zod checks it. */
import { z } from 'zod';

/** The settings that single sources have in a mount's object, beside those of every mount. */
export const SETTINGS = {
  /** Of mem: what its files may take, in bytes; 256 MiB by default. */
  maxBytes: z.int().min(1).optional(),
  /** Of github: where an edit of a file goes: `default-branch`, `branch:NAME` or `branch-and-pull`. */
  commits: z.string().optional(),
  /** Of slack: so many days of a channel are listed; 90 by default. */
  days: z.int().min(1).optional(),
  /** Of slack: which conversations, as `conversations.list` calls their types; public channels and those we are in by default. */
  types: z.string().min(1).optional(),
  /** Of openapi: which paths are mounted as what; a file of YAML or JSON, or its fields. */
  hints: z.union([z.string().min(1), z.record(z.string(), z.json())]).optional(),
  /** Of mcp: the program of the host that is the server, and its arguments. */
  command: z.array(z.string().min(1)).min(1).optional(),
  /** Of mcp: all of the environment of `command`: `NAME` of the host's own, or `NAME=text`. */
  env: z.array(z.string().regex(/^[A-Za-z_]\w*(?:=|$)/, 'must be NAME or NAME=text')).optional(),
  /** Of mcp: headers of the requests to `baseUrl`, each by the host's variable that holds it. */
  headerEnv: z.record(z.string().regex(/^[\w-]+$/), z.string().min(1)).optional(),
  /** Of mcp: is a tool believed that says that it only reads? Not by default. */
  trustHints: z.boolean().optional(),
  /** Of mcp: so long may a call take, in ms; 120,000 by default. */
  timeoutMs: z.int().min(1).optional(),
  /** Of a module: what it is handed besides, as JSON. */
  options: z.record(z.string(), z.json()).optional(),
};
