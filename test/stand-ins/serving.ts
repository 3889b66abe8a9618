/** What a service has to bring so that a process can serve its stand-in. */
import type { z } from 'zod';
import type { Place } from './server.ts';

/** A stand-in that listens; may be closed. */
export interface Listening {
  port: number;
  /** The first token of the seed. */
  token: string;
  /** Resolves when nothing listens any more; connections that are open are broken off. */
  close(): Promise<void>;
}

/** Starts a stand-in. `options`: what `ChildOptions` of the service is, unparsed. */
export type Serve = (options: unknown) => Promise<Listening>;

interface ServeOptions<Seed> extends Place {
  seed: Seed;
}

/** `create` makes the server of a seed, and says which tokens that has. */
export function serving<Seed>(
  schema: z.ZodType<ServeOptions<Seed>>,
  create: (seed: Seed) => {
    server: { listen(place: Place): Promise<number>; close(): Promise<void> };
    tokens: object;
  },
): Serve {
  return async (given) => {
    const options = schema.parse(given);
    const { server, tokens } = create(options.seed);
    const port = await server.listen(options);
    const [token = ''] = Object.keys(tokens);
    return { port, token, close: () => server.close() };
  };
}
