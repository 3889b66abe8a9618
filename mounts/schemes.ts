/**
 * How mounts are named: the schemes of `source`, as data. It loads nothing, so that the command line
 * can check and explain what it is given before anything else is there. What becomes of a scheme is
 * in index.ts.
 */

import type { Scheme } from '../src/sources/scheme.ts';

const OWNER_REPO = /^[A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9._-]+$/;
const TEAM_KEY = /^[A-Z][A-Z0-9]{0,15}$/;

export const SCHEMES = {
  disk: { name: 'disk', forms: ['./DIR', '/DIR'], title: 'files', isService: false },
  mem: { name: 'mem', forms: ['mem'], title: 'files', isService: false },
  github: {
    name: 'github',
    forms: ['github', 'github:OWNER/REPO'],
    title: 'GitHub',
    isService: true,
    setup: {
      narrowedBy: { matches: OWNER_REPO, called: 'OWNER/REPO', example: 'octocat/hello-world' },
      tokens: ['GITHUB_TOKEN', 'GH_TOKEN'],
      tokenCommand: ['gh', 'auth', 'token'],
      // As GitHub's own workflows set it.
      address: 'GITHUB_API_URL',
      publicAddress: 'https://api.github.com',
      remote: /github\.com[:/]([^/]+\/[^/]+?)(?:\.git)?\/?$/,
    },
  },
  linear: {
    name: 'linear',
    forms: ['linear', 'linear:KEY'],
    title: 'Linear',
    isService: true,
    setup: {
      narrowedBy: { matches: TEAM_KEY, called: 'KEY of a team', example: 'ENG' },
      tokens: ['LINEAR_API_KEY'],
      address: 'LINEAR_API_URL',
    },
  },
  notion: {
    name: 'notion',
    forms: ['notion'],
    title: 'Notion',
    isService: true,
    setup: {
      narrowedBy: null,
      tokens: ['NOTION_TOKEN', 'NOTION_API_KEY'],
      address: 'NOTION_API_URL',
    },
  },
  slack: {
    name: 'slack',
    forms: ['slack'],
    title: 'Slack',
    isService: true,
    setup: {
      narrowedBy: null,
      tokens: ['SLACK_TOKEN', 'SLACK_BOT_TOKEN'],
      address: 'SLACK_API_URL',
    },
  },
  sql: { name: 'sql', forms: ['sql', 'sql:./FILE'], title: 'SQL', isService: true },
  openapi: {
    name: 'openapi',
    forms: ['openapi:./FILE'],
    title: 'a REST service',
    isService: true,
  },
  mcp: { name: 'mcp', forms: ['mcp:NAME'], title: 'MCP', isService: true },
  module: {
    name: 'module',
    forms: ['module:./FILE', 'module:PACKAGE'],
    title: 'a service',
    isService: true,
  },
} as const satisfies Readonly<Record<string, Scheme>>;

/** All of them, in the order in which a message names them. */
export const schemes: readonly Scheme[] = Object.values(SCHEMES);
