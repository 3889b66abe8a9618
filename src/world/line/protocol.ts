/**
 * What is said on a line: a process of the host asks a world's worker by itself, and not by way of the
 * thread that has opened the world. That thread lets it in, says in whose name it asks, and hears of
 * what was done.
 */
import { z } from 'zod';
import type { ActingContext } from '../../policy/context.ts';
import { type ErrorOnTheWire, FS_METHODS } from '../fs-call.ts';

/** Where a process waits for the worker: a socket in a directory that is its user's alone. */
export interface LineAddress {
  socket: string;
  /** What the worker says first, in hex: nobody else knows it. */
  secret: string;
}

/** What was asked on a line before, and is not answered. */
export interface LostLine {
  /** The last question that was begun with: those after it were not done, and are asked again. */
  begun: number;
  /** Why nobody knows what became of that and of those before it. */
  message: string;
}

/** Questions, and answers. */
export const askSchema = z.object({
  id: z.int().positive(),
  /** Calls that are made one after the other, up to the first that fails. */
  rows: z.array(z.tuple([z.enum(FS_METHODS)], z.unknown())),
});

export type LineAsk = z.infer<typeof askSchema>;

export type LineAnswer = {
  id: number;
  /** One row, of what the calls gave that were made. */
  rows: [values: unknown[]];
  error?: ErrorOnTheWire;
};

/** What a line did, for whoever watches it. */
export type LineNews =
  /** These paths are about to be changed. */
  { touched: string[] } | { read: string[]; changed: string[]; failed?: ErrorOnTheWire };

export type LineToWorker =
  /** The worker is to ask at an address. @see LineServer */
  | {
      type: 'line';
      id: number;
      line: number;
      address: LineAddress;
      /** A policy in this directory counts from the next question after it was edited; null where one counts to the end. */
      rules: string | null;
      /** Shared: the last question that was begun with. */
      begun: Int32Array;
    }
  /** It may answer until it says that nothing more comes, in this name: without one it is the person in charge. */
  | { type: 'line-go'; line: number; context?: ActingContext }
  /** What waits for a person on it does so no more. */
  | { type: 'line-abort'; line: number }
  | { type: 'line-end'; line: number };

export interface LineFromWorker {
  type: 'line';
  line: number;
  /** The first of several questions has come; no more have come for a while; one waits for a person. */
  step: 'asks' | 'rests' | 'waits';
}
