// Which mutants the compiler refuses: `npm test` asks it, too, so that no test needs to.
import { join } from 'node:path';
import { API, DiagnosticCategory } from 'typescript/unstable/sync';

/**
 * A mutant is refused for what it breaks itself, never for what another one does. What most of them
 * break is in their own file, and to look there alone is quick; the whole program takes long, and is
 * looked through for many at once, then for fewer of them only where anything is wrong.
 * @template {{ file: string }} M
 * @param {string} root @param {readonly M[]} mutants @param {(mutant: M) => string} mutated the text of its file
 * @returns {M[]}
 */
export function refusedOf(root, mutants, mutated) {
  const program = new Program(root);
  const isWrong = (some, file) =>
    program.isWrong(new Map(some.map((each) => [join(root, each.file), mutated(each)])), file);
  const wrongIn = (some) => {
    if (some.length === 0 || !isWrong(some)) return [];
    if (some.length === 1) return some;
    const half = some.length >> 1;
    return [...wrongIn(some.slice(0, half)), ...wrongIn(some.slice(half))];
  };
  try {
    if (isWrong([])) throw new Error('the types are wrong before any mutant: npm run typecheck');
    const refused = new Set(mutants.filter((each) => isWrong([each], join(root, each.file))));
    for (let waiting = mutants.filter((each) => !refused.has(each)); waiting.length > 0; ) {
      // One of a file at a time.
      const round = new Map(waiting.map((mutant) => [mutant.file, mutant]));
      waiting = waiting.filter((mutant) => round.get(mutant.file) !== mutant);
      for (const mutant of wrongIn([...round.values()])) refused.add(mutant);
    }
    return mutants.filter((mutant) => refused.has(mutant));
  } finally {
    program.close();
  }
}

/** The checkout as the compiler sees it, with other texts in the place of some files: nothing is written. */
class Program {
  #api;
  #config;
  #texts = new Map();

  constructor(root) {
    this.#config = join(root, 'tsconfig.json');
    this.#api = new API({ cwd: root, fs: { readFile: (name) => this.#texts.get(name) } });
    this.#api.updateSnapshot({ openProjects: [this.#config] });
  }

  /** @param {Map<string, string>} texts by the files' paths @param {string} [file] look into this one alone */
  isWrong(texts, file) {
    const changed = [...this.#texts.keys(), ...texts.keys()];
    this.#texts = texts;
    const snapshot = this.#api.updateSnapshot({ fileChanges: { changed } });
    try {
      const { program } = snapshot.getProject(this.#config);
      return (
        [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
          .filter(({ category }) => category === DiagnosticCategory.Error)
          // What nobody uses any more is no fault of types: tests are to notice that it is not called.
          .some(({ reportsUnnecessary }) => !reportsUnnecessary)
      );
    } finally {
      snapshot.dispose();
    }
  }

  close() {
    this.#api.close();
  }
}
