/** New keys for SSH. */
import ssh2 from 'ssh2';

export interface KeyPair {
  /** As OpenSSH keeps it. */
  private: string;
  /** As a line of `authorized_keys`, without a comment. */
  public: string;
}

/** So many keys are tried. */
const ATTEMPTS = 20;

/** A new pair of Ed25519. Of some 300 that the library makes there is one that it cannot read itself. */
export function generateKeyPair(): KeyPair {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const made = ssh2.utils.generateKeyPairSync('ed25519');
    if (ssh2.utils.parseKey(made.private) instanceof Error) continue;
    return { private: made.private, public: made.public.trim() };
  }
  throw new Error('no key could be made: none that was generated can be read');
}
