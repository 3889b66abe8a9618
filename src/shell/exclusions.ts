/**
 * `rm !(*.md)` under `shopt -s extglob`: just-bash takes the pattern for a negation and a subshell.
 * In the source it stands in a group with a mark, and as it was written once that is parsed.
 */

/** In text it stands nowhere: it is no character. */
const MARK = '\uFDDE';
const GROUP = String.raw`!\((?:[^()\n;&]|\([^()\n]*\))*\)`;
/** After a word and a blank, or first in an array; not where a command begins. */
const WRITTEN = new RegExp(
  String.raw`(?<=[\w\])}"'/*.][ \t]+|=\()(?<!\b(?:if|elif|while|until|then|else|do|time)[ \t]+)(${GROUP})`,
  'g',
);
const SPELLED = new RegExp(String.raw`@\(${MARK}(${GROUP})\)`, 'g');
const SWITCH = /\bshopt[ \t]+-s[^\n;&|]*\bextglob\b[^\n]*\n/;

/** @param on is `extglob` set before the script begins? bash reads a line before it runs any of it. */
export function spellExclusions(script: string, on: boolean): string {
  if (!script.includes('!(')) return script;
  const [line] = on ? [''] : (SWITCH.exec(script) ?? []);
  if (line === undefined) return script;
  const from = on ? 0 : script.search(SWITCH) + line.length;
  return script.slice(0, from) + script.slice(from).replace(WRITTEN, `@(${MARK}$1)`);
}

/** Text as it was written. */
export function withExclusions(text: string): string {
  return text.includes(MARK) ? text.replace(SPELLED, '$1') : text;
}
