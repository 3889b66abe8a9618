/**
 * Programs: files of a mount that are called. The shell runs one by its path as it runs a script,
 * and the service carries out what it does.
 */

/** What a program is called with. */
export interface ProgramInput {
  /** As it was called, for messages: `./search`. */
  name: string;
  /** The words after the name. */
  args: readonly string[];
  /** Bytes. What it takes none of is left to whoever comes next. */
  stdin: Uint8Array;
}

/** What a call gave. */
export interface ProgramOutput {
  stdout: Uint8Array;
  stderr: string;
  exitCode: number;
  /** Files that the caller is to write, relative to where it stands: as any other, through the gate. */
  files?: readonly { path: string; data: Uint8Array }[];
  /** Was stdin read? */
  tookStdin?: boolean;
}

/**
 * What is known of what a call does: `reads` changes nothing, `changes` can be undone, and `destroys`
 * is all else, what nobody vouches for included.
 */
export type CallEffect = 'reads' | 'changes' | 'destroys';

/** A call that was checked, and is not made yet. */
export interface PlannedCall {
  /** As the service calls the program; what `tool` of a policy's rule is compared with. */
  program: string;
  effect: CallEffect;
  /** All that would be sent, for whoever is asked; an approval holds for this text and no other. */
  shown: string;
  /**
   * Makes the call, once.
   * @param signal ends it: the service is told so, where it can be
   */
  carryOut(signal: AbortSignal): Promise<ProgramOutput>;
}
