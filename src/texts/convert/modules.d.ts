/** What is used of libraries that bring no types, or types for a browser. */

declare module 'turndown' {
  /** A node of the tree that it reads. */
  export interface HtmlNode {
    nodeName: string;
    parentNode: HtmlNode | null;
    childNodes: ArrayLike<HtmlNode>;
    children: ArrayLike<HtmlNode>;
    getElementsByTagName(name: string): ArrayLike<HtmlNode>;
    textContent: string | null;
    getAttribute(name: string): string | null;
    querySelectorAll(selector: string): ArrayLike<HtmlNode>;
    querySelector(selector: string): HtmlNode | null;
    remove(): void;
  }
  export default class TurndownService {
    constructor(options: Readonly<Record<string, string>>);
    escape: (text: string) => string;
    remove(names: string[]): this;
    addRule(
      name: string,
      rule: {
        filter: string | ((node: HtmlNode) => boolean);
        replacement(content: string, node: HtmlNode): string;
      },
    ): this;
    turndown(html: string | HtmlNode): string;
  }
}

declare module '@mixmark-io/domino' {
  import type { HtmlNode } from 'turndown';
  export interface HtmlDocument {
    title: string;
    documentElement: HtmlNode;
    body: HtmlNode | null;
    querySelector(selector: string): HtmlNode | null;
    querySelectorAll(selector: string): ArrayLike<HtmlNode>;
    cloneNode(deep: boolean): HtmlDocument;
  }
  const domino: { createDocument(html: string): HtmlDocument };
  export default domino;
}

declare module '@mozilla/readability' {
  import type { HtmlDocument } from '@mixmark-io/domino';
  export class Readability {
    constructor(document: HtmlDocument);
    parse(): { title?: string | null; content?: string | null; textContent?: string | null } | null;
  }
}

declare module 'sax' {
  interface Parser {
    onerror: (error: Error) => void;
    ondoctype: (doctype: string) => void;
    onopentag: (tag: { name: string; attributes: Record<string, string> }) => void;
    onclosetag: () => void;
    ontext: (text: string) => void;
    oncdata: (text: string) => void;
    write(text: string): Parser;
    close(): Parser;
  }
  const sax: { parser(strict: boolean, options: { xmlns: boolean }): Parser };
  export default sax;
}
