// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the scripts are bash.
// In just-bash text and bytes are told apart by looking at them: `printf é; cat
// binary` and `{ cat binary; echo é; } > f` came out with the bytes encoded
// twice, and `echo Ã©` as `é`.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesFromText, textFromBytes, throughBoundary } from './bytes.ts';
import { testShell } from './test-shell.ts';

const bytes = fc.uint8Array({ maxLength: 60 });
/** Bytes in which valid and broken UTF-8 meet. */
const mixed = fc
  .array(
    fc.oneof(
      bytes,
      fc.string({ unit: 'grapheme' }).map((text) => new Uint8Array(Buffer.from(text))),
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => new Uint8Array(Buffer.concat(parts)));

describe('Text holds any bytes', () => {
  test('and gives them back', () => {
    fc.assert(
      fc.property(mixed, (data) => {
        const latin1 = Buffer.from(data).toString('latin1');
        expect(bytesFromText(textFromBytes(latin1))).toBe(latin1);
      }),
    );
  });

  test('also when it is put together from pieces cut anywhere', () => {
    fc.assert(
      fc.property(mixed, fc.nat(60), (data, cut) => {
        const latin1 = Buffer.from(data).toString('latin1');
        const joined = textFromBytes(latin1.slice(0, cut)) + textFromBytes(latin1.slice(cut));
        expect(bytesFromText(joined)).toBe(latin1);
      }),
    );
  });

  test('Valid UTF-8 is itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(textFromBytes(Buffer.from(text).toString('latin1'))).toBe(text);
        expect(throughBoundary(text)).toSatisfy(
          (passed: string) => passed === text || Buffer.from(passed, 'latin1').toString() === text,
        );
      }),
    );
  });
});

describe('Bytes survive the shell', () => {
  const { shell } = testShell();
  const stdout = async (script: string, stdin?: Uint8Array) =>
    Buffer.from((await shell.exec(script, stdin === undefined ? {} : { stdin })).stdout);
  const ways: [string, string][] = [
    ['cat', 'cat'],
    ['pipes', 'cat | cat | tee copy'],
    ['base64', 'base64 | base64 -d'],
    ['a file', 'cat > f; cat f'],
    ['a group into a file', '{ cat; } > f; cat f'],
    ['a loop in a pipe', 'for i in 1; do cat; done | cat'],
    ['a function', 'f() { cat; }; f'],
    ['a subshell in a pipe', '(cat) | (cat)'],
    ['stderr and back', '{ cat >&2; } 2>&1'],
    ['stderr into a pipe', '{ cat >&2; } |& cat'],
    ['bash -c', 'bash -c cat'],
    ['bash -c in a pipe', "bash -c 'cat | cat' | cat"],
    ['eval', 'eval cat'],
    ['a process substitution', 'cat <(cat)'],
  ];
  for (const [name, script] of ways) {
    test(name, async () => {
      await fc.assert(
        fc.asyncProperty(mixed, async (data) => {
          // An empty pipe and none are the same to just-bash in places; its data is what counts.
          fc.pre(data.length > 0);
          expect(await stdout(script, data)).toEqual(Buffer.from(data));
        }),
        { numRuns: 25 },
      );
    });
  }

  test('printf and echo -e', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, async (data) => {
        const hex = Array.from(data, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
        const octal = Array.from(data, (byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join(
          '',
        );
        // `\x25` is `%`, which just-bash takes for a conversion.
        fc.pre(!data.includes(0x25));
        expect(await stdout(`printf '${hex}'`)).toEqual(Buffer.from(data));
        expect(await stdout(`printf '${hex}' | cat`)).toEqual(Buffer.from(data));
        expect(await stdout(`echo -ne '${octal}'`)).toEqual(Buffer.from(data));
      }),
      { numRuns: 50 },
    );
  });

  test('Text and raw bytes in one script', async () => {
    expect(
      await stdout(
        "printf 'é'; printf '\\xff'; echo Ã©; printf '\\xe2\\x82' | cat; printf '\\xac'",
      ),
    ).toEqual(
      Buffer.concat([Buffer.from('é'), Buffer.from([0xff]), Buffer.from('Ã©\n'), Buffer.from('€')]),
    );
    expect(await stdout("bash -c 'echo Ã©'; x=$(bash -c 'echo Ã©'); echo \"$x\"")).toEqual(
      Buffer.from('Ã©\nÃ©\n'),
    );
    expect(await stdout('x=$(printf \'\\xff\'); printf %s "$x" > f; cat f')).toEqual(
      Buffer.from([0xff]),
    );
  });
});
