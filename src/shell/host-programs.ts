/** Programs of the host that a deployment lets commands run: what the shell knows of them. */

/** One run of a program. */
export interface HostProgram {
  /** As the config names it. */
  name: string;
  args: readonly string[];
  /** In the world, absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdin: Uint8Array;
}

/** What came of it. */
export interface HostProgramEnd {
  stdout: Uint8Array;
  stderr: Uint8Array;
  /** As a shell gives it: 128 and the signal's number where a signal ended it. */
  exitCode: number;
}

/** The programs of the host that a world has. */
export interface HostPrograms {
  names: readonly string[];
  /**
   * Runs one to its end; the signal ends it.
   * @throws ConfigError saying what is missing on this machine
   */
  run(program: HostProgram, signal: AbortSignal | undefined): Promise<HostProgramEnd>;
}
