/** The rows below `files/`. */
import type { Route } from '../../src/mount/index.ts';
import { type CommitParts, fileReplace } from './commits.ts';
import { treeRemove } from './remove-tree.ts';
import { repoOf } from './store.ts';
import type { GithubSync } from './sync.ts';

/** The rows below `top`. */
export function fileRoutes(parts: CommitParts, sync: GithubSync, top: string): Route[] {
  const { files } = parts;
  return [
    {
      pattern: top,
      type: 'directory',
      about: 'the files of the branch that commits go to, by default the default one',
    },
    {
      pattern: `${top}/:path+`,
      type: 'file',
      typeOf: (params) => (files.isDirectory(params) ? 'directory' : 'file'),
      about: 'a file, byte for byte, or a directory; a write is a commit',
      needs: ['tree'],
      costly: (params) => files.isCostly(params),
      prefetch: (params) => files.fetchBelow(params),
      prefetched: (params) => files.hasBelow(params),
      entries: (params) => files.entries(params),
      stat: (params) => {
        const found = files.find(params);
        return found === null ? null : files.entry(repoOf(params), found);
      },
      prepare: async (params, purpose, eagerness) => {
        await sync.ensure('tree', params, eagerness);
        await files.ensure(params, purpose);
        if (purpose !== 'read' || files.isDirectory(params)) return;
        await files.fetchOne(params);
        files.sayPointer(params);
      },
      read: (params) => files.content(params),
      replace: fileReplace(parts),
      removeTree: treeRemove(parts),
    },
  ];
}
