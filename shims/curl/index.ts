/** curl and wget: hosts that the deployment allows; for all else, the mount to use. */
import type { ShimFactory, ShimHost } from '../../src/shell/command.ts';
import { defineTool } from '../support/tool.ts';
import { curl, type Surroundings } from './curl.ts';
import { wget } from './wget.ts';

/** curl, wget. */
export const curlShims: ShimFactory = (host: ShimHost) => {
  const surroundings = (): Surroundings => ({
    mounts: host.mounts?.() ?? [],
    network: host.network ?? null,
  });
  return [
    defineTool(
      host,
      {
        name: 'curl',
        usageStatus: 2,
        usage: `Usage: curl [options...] <url>\nAsk a host that the deployment allows; of services, read their files under /mnt.

  -s -S -f --fail-with-body -v     silent, but errors; fail at 400 and above; tell more
  -L --max-redirs N                follow redirects, to allowed hosts
  -o FILE -O -J -D FILE --output-dir DIR --create-dirs   where the answer goes
  -i -I                            with headers; headers alone
  -X METHOD -H 'Name: value' -A AGENT -e REFERER -b COOKIES -u USER:PASSWORD
  -d DATA --data-raw --data-binary --data-urlencode --json -F name=value -T FILE -G
  -w FORMAT -m SECONDS --retry N --compressed`,
      },
      (tool) => curl(tool, surroundings()),
    ),
    defineTool(
      host,
      {
        name: 'wget',
        usageStatus: 2,
        usage: `Usage: wget [OPTION]... [URL]...\nFetch from a host that the deployment allows; of services, read their files under /mnt.

  -q -nv -S       quiet; less; with headers
  -O FILE -P DIR -nc -i FILE
  --header='Name: value' --method=M --post-data=D --post-file=F --body-data=D -U AGENT
  -T SECONDS --max-redirect=N --spider`,
      },
      (tool) => wget(tool, surroundings()),
    ),
  ];
};
