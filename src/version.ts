/** The version of the package. */
import fs from 'node:fs';

/** From package.json, which is one level up in a checkout and two when compiled. */
export function packageVersion(): string {
  for (const up of ['../', '../../']) {
    const file = new URL(`${up}package.json`, import.meta.url);
    if (!fs.existsSync(file)) continue;
    const parsed: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) {
      return String(parsed.version);
    }
  }
  throw new Error('package.json is missing beside the code of dirigent');
}
