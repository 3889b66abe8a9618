/** Where the compiled code of the program is kept between runs. */

/**
 * In the user's cache directory by XDG: the default of Node is shared by all
 * users of the machine. undefined leaves it to Node.
 */
export function compileCacheDirectory(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (env['NODE_COMPILE_CACHE'] !== undefined) return undefined;
  const base = env['XDG_CACHE_HOME'] ?? (env['HOME'] === undefined ? '' : `${env['HOME']}/.cache`);
  return base.startsWith('/') ? `${base}/dirigent/compiled` : undefined;
}
