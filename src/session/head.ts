/**
 * The head of a log: how long it is, and the hash of its last line, which all
 * before it is in. Signed, it says that a deployment had this log at a time.
 */
import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import { z } from 'zod';
import { isSessionId } from './session-id.ts';

/** What of a log is signed. */
export interface Head {
  session: string;
  /** Whole lines, the header's included. */
  lines: number;
  /** Where the last of them ends. */
  bytes: number;
  /** The hash of the last of them. */
  hash: string;
  /** ISO 8601, UTC. */
  time: string;
  /**
   * The first and the last line that whoever signs has found unsigned, as a
   * killed process leaves them, and has not written itself; null for none.
   */
  found: [first: number, last: number] | null;
}

/** A head with the key that signed it, as {@link publicKeyText} writes it, and the signature as base64. */
export interface SignedHead extends Head {
  key: string;
  signature: string;
}

const KEY_PREFIX = 'ed25519:';
const KEY = /^ed25519:[A-Za-z0-9_-]{43}$/;
/** A signature is for a head alone, whatever else the key is used for one day. */
const PURPOSE = 'dirigent session head 1';

const line = z.int().min(1);

export const signedHeadSchema = z.strictObject({
  session: z.string().refine(isSessionId).meta({ pattern: '^[0-9A-HJKMNP-TV-Z]{26}$' }),
  lines: line,
  bytes: line,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  time: z.iso.datetime(),
  found: z.tuple([line, line]).nullable(),
  key: z.string().regex(KEY),
  signature: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
});

/** `ed25519:` and the 32 bytes of the key as base64url. */
export function publicKeyText(key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return `${KEY_PREFIX}${x}`;
}

/** Is a text a public key as {@link publicKeyText} writes it? */
export const isPublicKey = (text: string): boolean => KEY.test(text);

/** Signs a head. @param privateKey Ed25519, PEM */
export function signHead(head: Head, privateKey: string): SignedHead {
  const key = createPrivateKey(privateKey);
  const signature = signBytes(null, bytesOf(head), key).toString('base64');
  return { ...head, key: publicKeyText(key), signature };
}

/** Was a head signed by the key that it names? */
export function isSigned({ key, signature, ...head }: SignedHead): boolean {
  const x = key.slice(KEY_PREFIX.length);
  try {
    const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    return verifyBytes(null, bytesOf(head), publicKey, Buffer.from(signature, 'base64'));
  } catch (error) {
    // 32 bytes that are no point of the curve are the key of nobody.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** A head out of its JSON; null where it is none. */
export function parseHead(text: string): SignedHead | null {
  try {
    return signedHeadSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What the signature is of: a list in a fixed order, so that there is one way to write it. */
function bytesOf({ session, lines, bytes, hash, time, found }: Head): Buffer {
  return Buffer.from(JSON.stringify([PURPOSE, session, lines, bytes, hash, time, found]));
}
