/** Is a byte a character? As setlocale(3) looks for it; without any of these it is UTF-8 here. */
export function isByteLocale(env: ReadonlyMap<string, string>): boolean {
  const locale = env.get('LC_ALL') || env.get('LC_CTYPE') || env.get('LANG');
  return locale === 'C' || locale === 'POSIX';
}
