/** What the command line is handed by what is above it. */
import type { ChannelKind } from '../serve/channels/contract.ts';
import type { Scheme } from '../sources/scheme.ts';
import type { SourceTable } from '../sources/source.ts';

/** A package whose command line this is. */
export interface Installation {
  /** How mounts are named. There at once: help and parsing are made of it. */
  readonly schemes: readonly Scheme[];
  /** What becomes of them; loaded where a config is checked, or a world opened. */
  sources(): Promise<SourceTable>;
  /** The kinds of channels that `dirigent serve` opens by name. */
  channels(): Promise<ReadonlyMap<string, ChannelKind>>;
  /** The URL of the module that `import … from 'dirigent'` means in a config. */
  readonly library: string;
}
