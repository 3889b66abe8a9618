/** Which words of jq's command line name files, so that they can be fetched before it asks. */

/** How many words follow an option. */
const VALUES: Readonly<Record<string, number>> = {
  '--arg': 2,
  '--argjson': 2,
  '--slurpfile': 2,
  '--rawfile': 2,
  '--indent': 1,
  '--library-path': 1,
  '-L': 1,
};

/** The files that jq reads one after the other as its input. */
export interface InputFiles {
  paths: string[];
  /** Will it read them all, or only as many as the program asks for? */
  readsAll: boolean;
}

/** Looks for the files of the input. What it overlooks is fetched when jq asks for it. */
export function inputFiles(args: readonly string[]): InputFiles {
  const words: string[] = [];
  const letters = new Set<string>();
  let [areFiles, areOptions] = [true, true];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? '';
    if (!areOptions || !/^-./.test(word)) {
      // The first word is the program, whatever came before.
      if (areFiles || words.length === 0) words.push(word);
    } else if (word === '--') areOptions = false;
    else if (word === '--args' || word === '--jsonargs') areFiles = false;
    else if (word.startsWith('--')) {
      i += VALUES[word] ?? 0;
      if (word === '--null-input') letters.add('n');
    } else {
      for (const letter of word.slice(1)) letters.add(letter);
      i += VALUES[word] ?? 0;
    }
  }
  return { paths: words.slice(1), readsAll: !letters.has('n') };
}
