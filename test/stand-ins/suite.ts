/** Around a whole run of the tests: the process that serves their stand-ins. */
import { HOST, startHost } from './process.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const host = await startHost();
  process.env[HOST] = host.url;
  return () => host.close();
}
