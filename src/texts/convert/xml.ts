/** XML as a tree, by names without their prefixes. No entity is expanded but the five of XML itself. */
import sax from 'sax';
import { broken } from '../fault.ts';

export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: (XmlElement | string)[];
}

/** Deeper nesting is no document that somebody wrote. */
const DEEPEST = 400;

/** Reads an XML file. @throws DocumentFault where it is not well-formed, or declares a type of its own */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [] };
  const open = [root];
  const parser = sax.parser(true, { xmlns: false });
  parser.onerror = (error) => {
    throw broken(`has XML that is not well-formed: ${error.message.split('\n')[0] ?? ''}`);
  };
  parser.ondoctype = (doctype) => {
    if (/<!ENTITY/i.test(doctype))
      throw broken('declares entities of its own, which are not expanded');
  };
  parser.onopentag = ({ name, attributes }) => {
    if (open.length > DEEPEST) throw broken(`nests elements deeper than ${DEEPEST}`);
    const element: XmlElement = { name: local(name), attributes: plain(attributes), children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  parser.onclosetag = () => void open.pop();
  parser.ontext = (content) => void open.at(-1)?.children.push(content);
  parser.oncdata = (content) => void open.at(-1)?.children.push(content);
  parser.write(text.replace(/^\ufeff/, '')).close();
  const element = root.children.find((child) => typeof child !== 'string');
  if (element === undefined) throw broken('has an XML file without an element');
  return element;
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

function plain(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const own: Record<string, string> = Object.create(null);
  // An id of a relation (r:id) is another one than an id.
  for (const [name, value] of Object.entries(attributes))
    own[name.startsWith('r:') ? name : local(name)] = value;
  return own;
}

/** The elements directly in one. */
export function* elementsIn(element: XmlElement, name?: string): Iterable<XmlElement> {
  for (const child of element.children)
    if (typeof child !== 'string' && (name === undefined || child.name === name)) yield child;
}

/** The first element of a name directly in one. */
export function childOf(
  element: XmlElement | null | undefined,
  name: string,
): XmlElement | undefined {
  if (element == null) return undefined;
  for (const child of elementsIn(element, name)) return child;
  return undefined;
}

/** All elements of a name anywhere below one, in order; those within another of them not. */
export function* elementsBelow(element: XmlElement, name: string): Iterable<XmlElement> {
  for (const child of elementsIn(element)) {
    if (child.name === name) yield child;
    else yield* elementsBelow(child, name);
  }
}

/** All text in an element. */
export function textIn(element: XmlElement | undefined): string {
  if (element === undefined) return '';
  return element.children
    .map((child) => (typeof child === 'string' ? child : textIn(child)))
    .join('');
}
