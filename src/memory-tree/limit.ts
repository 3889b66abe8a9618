/** What the files of one mount may take unless it is said: 256 MiB. */
export const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
