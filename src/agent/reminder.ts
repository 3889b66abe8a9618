/** A reply that promises a reminder, where nothing will bring it about, says so. */

/** Appended to the reply, literally. */
export const NO_REMINDER =
  'Note: I did not schedule a reminder in this turn, so this will not trigger automatically.';

const PROMISES: readonly RegExp[] = [
  /\bI(?:['’]ll| will| can and will| am going to|['’]m going to)\s+(?:\w+\s+){0,2}?(?:remind|ping|notify|alert|nudge)\s+you\b/i,
  /\bI(?:['’]ll| will)\s+(?:check back|follow up|get back to you|come back to (?:you|this))\b/i,
  /\b(?:I(?:['’]ve| have)\s+)?set (?:up )?a reminder\b/i,
  /\breminder (?:is |has been )?(?:set|scheduled)\b/i,
];

/** Does the text promise a reminder? */
export const promisesReminder = (text: string): boolean =>
  PROMISES.some((promise) => promise.test(text));

/**
 * @param scheduled the files of the schedule, now
 * @returns the note, or null where there is nothing to say
 */
export function reminderNote(text: string, scheduled: readonly string[]): string | null {
  if (!promisesReminder(text) || text.includes(NO_REMINDER)) return null;
  return scheduled.length > 0 ? null : NO_REMINDER;
}
