/** `dirigent session verify`, `key` and `export --proof`: what of a session can be trusted, and by whose word. */
import fs from 'node:fs';
import { FsError } from '../errors.ts';
import type { SessionFile, SessionPlace } from '../session/file.ts';
import { isPublicKey } from '../session/head.ts';
import { makeProof, verifyProof } from '../session/proof.ts';
import { type Verdict, verifySession } from '../session/verify.ts';
import { joined, type VisibleText, visible } from '../visible.ts';
import type { SessionArguments } from './options.ts';
import type { Output } from './output.ts';

/** Verifies sessions of a state directory, and gives the exit status. */
export async function verifySessions(
  place: SessionPlace,
  ids: readonly string[],
  options: SessionArguments,
  output: Output,
): Promise<number> {
  const keys = options.keys.length === 0 ? {} : { keys: options.keys.map(publicKeyOf) };
  const verdicts = ids.map((id) => verifySession(place, id, keys));
  const status = await printVerdicts(verdicts, options, output);
  if (!options.all) return status;
  const gone = (place.anchor?.sessions() ?? []).filter((id) => !ids.includes(id));
  for (const id of gone)
    await output.err(
      visible`dirigent: session ${id} was signed, and its directory is not there any more\n`,
    );
  return status;
}

/** Verifies a proof, without any deployment. */
export async function verifyProofFile(
  proof: string,
  options: SessionArguments,
  output: Output,
): Promise<number> {
  if (options.keys.length === 0) {
    throw new FsError('EINVAL', {
      path: proof,
      op: 'verify',
      rule: 'a proof is verified by a key that is known from elsewhere',
      reason:
        'give it with --key, as "dirigent session key" prints it in the deployment that made the proof',
    });
  }
  const verdict = verifyProof(proof, options.keys.map(publicKeyOf));
  return printVerdicts([verdict], options, output);
}

/** Prints the deployment's public key. */
export async function printKey(
  { anchor }: SessionPlace,
  { rotate, json }: SessionArguments,
  output: Output,
): Promise<number> {
  if (anchor === null) throw new Error('a state directory without an anchor was opened');
  const key = rotate ? anchor.rotate() : anchor.publicKey();
  const earlier = anchor.keys().filter((each) => each !== key);
  await (json ? output.json({ key, earlier }) : output.out(visible`${key}\n`));
  return 0;
}

/** Writes the proof of a session. */
export async function exportProof(
  place: SessionPlace,
  file: SessionFile,
  options: SessionArguments,
  output: Output,
  at: string | null,
): Promise<number> {
  const { head, left, pieces } = makeProof(place, file, at);
  const descriptor = fs.openSync(options.output ?? '', 'w', 0o600);
  try {
    for (const piece of pieces) fs.writeFileSync(descriptor, piece);
  } finally {
    fs.closeSync(descriptor);
  }
  const more = left > 0 ? `; ${left} lines after it are left out` : '';
  await output.err(
    visible`the proof goes up to line ${head.lines}, signed at ${head.time} by ${head.key}${more}\n`,
  );
  return 0;
}

async function printVerdicts(
  verdicts: readonly Verdict[],
  { json }: SessionArguments,
  output: Output,
): Promise<number> {
  if (json) await output.json(verdicts, 2);
  for (const verdict of json ? [] : verdicts) await output.out(verdictText(verdict));
  return verdicts.every(({ faults }) => faults.length === 0) ? 0 : 1;
}

function verdictText(verdict: Verdict): VisibleText {
  const { session, lines, faults, tornBytes, trustedLines } = verdict;
  const torn = tornBytes === 0 ? '' : `; ${tornBytes} bytes after the last whole line`;
  const good = faults.length === 0 ? 'whole' : `broken, can be trusted up to line ${trustedLines}`;
  const shown = faults.map((fault) => {
    const where = fault.session === session ? '' : `${fault.session} `;
    return visible`  ${where}line ${fault.line}, entry ${fault.id ?? '?'}: ${fault.reason}\n`;
  });
  const first = visible`${session} ${good}: ${lines} lines${torn}\n`;
  return joined([first, ...signedText(verdict), ...shown]);
}

function signedText({ signed, lines: all }: Verdict): VisibleText[] {
  const { lines, time, key, unsigned, found } = signed;
  if (lines === 0) return [visible`  not signed\n`];
  const whole = unsigned === 0 ? 'to its end' : `up to line ${lines} of ${all}`;
  const rest = unsigned === 0 ? '' : `; ${unsigned} after that are unsigned`;
  return [
    visible`  signed ${whole} at ${time ?? '?'} by ${key ?? '?'}${rest}\n`,
    ...found.map(
      ([first, last]) =>
        visible`  lines ${first} to ${last} were unsigned when the session was gone on with, as a killed process leaves them\n`,
    ),
  ];
}

/** A public key, or what a file has as one. */
function publicKeyOf(text: string): string {
  if (isPublicKey(text)) return text;
  const read = fs.existsSync(text) ? fs.readFileSync(text, 'utf8').trim() : '';
  if (isPublicKey(read)) return read;
  throw new FsError('EINVAL', {
    path: text,
    op: 'verify',
    rule: 'a public key as "dirigent session key" prints it',
    reason: `this is neither a public key (ed25519:…) nor a file with one`,
  });
}
