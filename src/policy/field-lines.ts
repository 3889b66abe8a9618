/** The fields of what a person is asked, as lines of YAML. */

import { visibleJson } from '../visible.ts';

/** A line for each field that is there. */
export function fieldLines(fields: readonly (readonly [string, string | null])[]): string {
  return (
    fields
      .filter((field): field is [string, string] => field[1] !== null)
      // A JSON string is a YAML string, whatever is in it.
      .map(([name, value]) => `${name}: ${PLAIN.test(value) ? value : visibleJson(value)}\n`)
      .join('')
  );
}

const PLAIN = /^(?!(?:null|true|false|yes|no)$)[A-Za-z/][A-Za-z0-9 _./()[\]-]*[A-Za-z0-9_/)\]]$/;

/** @param time ms since the epoch */
export const asTime = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString();
