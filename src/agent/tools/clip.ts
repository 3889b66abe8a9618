/** What is too long for a model is shown by its two ends; the log has all of it. */

/** Characters. */
const LONGEST = 32_000;

export function clipped(text: string, longest: number = LONGEST): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  const cut = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${cut} characters are left out here; narrow the command down to see them …]\n${text.slice(-half)}`;
}
