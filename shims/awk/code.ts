/**
 * Compiled pieces of a program. Most run at once; what waits for a file or a
 * command is a promise, and so is all that contains it, and nothing else.
 */

export type Code<T> = { waits: false; run: () => T } | { waits: true; run: () => Promise<T> };

export function now<T>(run: () => T): Code<T> {
  return { waits: false, run };
}

export function later<T>(run: () => Promise<T>): Code<T> {
  return { waits: true, run };
}

export function map<A, T>(a: Code<A>, make: (a: A) => T): Code<T> {
  if (a.waits) return later(async () => make(await a.run()));
  const { run } = a;
  return now(() => make(run()));
}

/** Two pieces, the first one first. */
export function map2<A, B, T>(a: Code<A>, b: Code<B>, make: (a: A, b: B) => T): Code<T> {
  if (a.waits || b.waits) {
    return later(async () => {
      const first = await a.run();
      return make(first, await b.run());
    });
  }
  const [runA, runB] = [a.run, b.run];
  return now(() => {
    const first = runA();
    return make(first, runB());
  });
}

/** All values, in order. */
export function all<T>(codes: readonly Code<T>[]): Code<T[]> {
  if (codes.some(({ waits }) => waits)) {
    return later(async () => {
      const values: T[] = [];
      for (const code of codes) values.push(await code.run());
      return values;
    });
  }
  const runs = codes.map(({ run }) => run as () => T);
  return now(() => {
    const values: T[] = [];
    for (const run of runs) values.push(run());
    return values;
  });
}

/** Goes on with what waits itself. */
export function andThen<A, T>(a: Code<A>, make: (a: A) => Promise<T>): Code<T> {
  return later(async () => make(await a.run()));
}
