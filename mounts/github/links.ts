/** Where a listing of GitHub's goes on: its Link header, followed to the letter or not at all. */
import LinkHeader from 'http-link-header';
import { ServiceFailure } from '../../src/mount/index.ts';

export interface Links {
  /** The address of the next page; null at the end. */
  next: string | null;
  /** The number of the last page, where it is told. */
  last: number | null;
}

/**
 * Reads a Link header; '' where there was none.
 * @param origin that was asked: what leads elsewhere is not followed
 * @throws ServiceFailure `protocol` where `next` cannot be followed: that is not the end
 */
export function linksOf(header: string, origin: string): Links {
  if (header === '') return { next: null, last: null };
  const links = parsed(header);
  const [next] = links.rel('next');
  const [last] = links.rel('last');
  return {
    next: next === undefined ? null : within(next.uri, origin),
    last: last === undefined ? null : pageOf(last.uri),
  };
}

function parsed(header: string): LinkHeader {
  try {
    return LinkHeader.parse(header);
  } catch (cause) {
    throw new ServiceFailure(
      'protocol',
      'GitHub did not say in a readable way how its listing goes on: what it gave is no Link header',
      { cause },
    );
  }
}

function within(address: string, origin: string): string {
  const next = URL.canParse(address, origin) ? new URL(address, origin) : null;
  if (next === null || address === '') {
    throw new ServiceFailure(
      'protocol',
      "GitHub's listing goes on at what is no address: it is not complete",
    );
  }
  if (next.origin !== origin) {
    throw new ServiceFailure(
      'protocol',
      `GitHub's listing goes on at ${next.origin}, which is not ${origin}: nothing was sent there`,
    );
  }
  // Octokit would take these for places to fill in.
  return next.href
    .replace(/:(?=[A-Za-z])/g, '%3A')
    .replace(/^(https?)%3A/, '$1:')
    .replace(/[{}]/g, encodeURIComponent);
}

function pageOf(address: string): number | null {
  const found = /[?&]page=(\d+)(&|$)/.exec(address);
  return found === null ? null : Number(found[1]);
}
